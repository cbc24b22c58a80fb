import type { BlockNode } from '../../routers/engine/document/document.ts';
import { plainText } from '../../routers/engine/document/readers.ts';
import { type Html, html } from '../http/html.ts';
import { safeSource } from './document/view.ts';
import type { Frame } from './layout.ts';
import { type IndexedPage, isListed, type PageIndex } from './page-index.ts';
import { rawHtml } from './policy.ts';
import { pageHref, titleOf, type Visit } from './visit.ts';

/** The absolute address of a page, the same however it was reached. */
export function canonicalOf(visit: Visit, { page }: IndexedPage, index: PageIndex): string {
  const path = page.id === index.first?.page.id ? undefined : page.path;
  return pageHref({ base: publicRoot(visit) }, visit.place, path);
}

/** Where the site is published, with a slash at its end. */
export const publicRoot = ({ published, absoluteBase, isMember }: Visit): string => {
  const address = isMember ? undefined : published?.site.urls.published;
  return address === undefined ? absoluteBase : address.endsWith('/') ? address : `${address}/`;
};

/** Whether search engines may list a page of this visit. */
export const mayBeListed = ({ published, isPreview, contextId }: Visit): boolean =>
  published?.site.visibility === 'public' && !isPreview && contextId === undefined;

/** What search engines, readers of feeds and those who share a page are told of it. */
export function pageHead(
  frame: Frame,
  current: IndexedPage,
  { index, nodes }: { index: PageIndex; nodes: readonly BlockNode[] },
): Html {
  const { visit, language } = frame;
  const { page, above } = current;
  const { customization } = visit;
  const siteTitle = titleOf(visit);
  const canonical = canonicalOf(visit, current, index);
  const description = page.description?.trim() || beginningOf(nodes);
  const { light } = customization.header.logo ?? {};
  const picture = safeSource(customization.socialPreview.url ?? light ?? '');
  const isIndexed = mayBeListed(visit) && isListed(current);
  return html`${description !== undefined && html`<meta name="description" content="${description}">`}
${isIndexed ? html`<link rel="canonical" href="${canonical}">` : html`<meta name="robots" content="noindex">`}
<meta property="og:type" content="article">
<meta property="og:site_name" content="${siteTitle}">
<meta property="og:title" content="${page.title}">
${description !== undefined && html`<meta property="og:description" content="${description}">`}
<meta property="og:url" content="${canonical}">
${picture && html`<meta property="og:image" content="${picture}">`}
<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">
<link rel="alternate" type="text/markdown" href="${pageHref(visit, visit.place, page.path)}.md">
<link rel="alternate" type="application/atom+xml" title="${language.texts.updates}" href="${visit.base}feed.xml">
<script type="application/ld+json">${jsonLd({
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'TechArticle',
        headline: page.title,
        description,
        url: canonical,
        dateModified: page.updatedAt,
        inLanguage: language.content,
        isPartOf: { '@type': 'WebSite', name: siteTitle, url: publicRoot(visit) },
      },
      {
        '@type': 'BreadcrumbList',
        itemListElement: [...above.map(({ title }) => title), page.title].map((name, position) => ({
          '@type': 'ListItem',
          position: position + 1,
          name,
        })),
      },
    ],
  })}</script>`;
}

/** Longest description that is made of a text, in characters. */
const MAX_DESCRIPTION = 160;

/** The first paragraph of a page, for want of a description. */
function beginningOf(nodes: readonly BlockNode[]): string | undefined {
  const first = nodes.find((node) => node.object === 'block' && node.type === 'paragraph');
  const text = first && plainText([first]).slice(0, 1000).replace(/\s+/g, ' ').trim();
  if (!text || text.length <= MAX_DESCRIPTION) return text || undefined;
  const cut = text.slice(0, MAX_DESCRIPTION);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_DESCRIPTION / 2))}…`;
}

const jsonLd = (value: object): Html =>
  rawHtml(
    JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
