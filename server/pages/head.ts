import type { BlockNode } from '../../routers/engine/document/document.ts';
import { shownText } from '../../routers/engine/document/shown-text.ts';
import { type Html, html } from '../http/html.ts';
import { safeSource } from './document/render-context.ts';
import type { Frame } from './layout.ts';
import { type IndexedPage, isPageIndexable, type PageIndex } from './page-index.ts';
import { rawHtml } from './policy.ts';
import { pageHref, titleOf, type Visit } from './visit.ts';

/** The canonical URL of a page, whichever address was requested. */
export function canonicalUrl(visit: Visit, { page }: IndexedPage, index: PageIndex): string {
  const path = page.id === index.first?.page.id ? undefined : page.path;
  return pageHref({ base: publicRootUrl(visit) }, visit.place, path);
}

/** The URL at which the site is published, with a trailing slash. */
export const publicRootUrl = ({ published, absoluteBase, isMember }: Visit): string => {
  const address = isMember ? undefined : published?.site.urls.published;
  return address === undefined ? absoluteBase : address.endsWith('/') ? address : `${address}/`;
};

/** Whether search engines may index pages of this visit. */
export const isSiteIndexable = ({ published, isPreview, contextId }: Visit): boolean =>
  // guard: page-robots-public
  published?.site.visibility === 'public' && !isPreview && contextId === undefined;

/** Whether agents and language models may read the site: it has Markdown and lists of pages for them. */
export const isForAgents = ({ published }: Pick<Visit, 'published'>): boolean =>
  published?.site.agentsContext !== 'excluded';

/** The metadata of a page for search engines, feed readers and link previews. */
export function pageHead(
  frame: Frame,
  current: IndexedPage,
  { index, nodes }: { index: PageIndex; nodes: readonly BlockNode[] },
): Html {
  const { visit, language } = frame;
  const { page, ancestors } = current;
  const { customization } = visit;
  const siteTitle = titleOf(visit);
  const canonical = canonicalUrl(visit, current, index);
  const description = page.description?.trim() || excerptOf(nodes);
  const { light } = customization.header.logo ?? {};
  const picture = safeSource(customization.socialPreview.url ?? light ?? '');
  const isIndexed = isSiteIndexable(visit) && isPageIndexable(current);
  return html`${description !== undefined && html`<meta name="description" content="${description}">`}
${isIndexed ? html`<link rel="canonical" href="${canonical}">` : html`<meta name="robots" content="noindex">`}
<meta property="og:type" content="article">
<meta property="og:site_name" content="${siteTitle}">
<meta property="og:title" content="${page.title}">
${description !== undefined && html`<meta property="og:description" content="${description}">`}
<meta property="og:url" content="${canonical}">
${picture && html`<meta property="og:image" content="${picture}">`}
<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">
${isForAgents(visit) && html`<link rel="alternate" type="text/markdown" href="${pageHref(visit, visit.place, page.path)}.md">`}
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
        isPartOf: { '@type': 'WebSite', name: siteTitle, url: publicRootUrl(visit) },
      },
      {
        '@type': 'BreadcrumbList',
        itemListElement: [...ancestors.map(({ title }) => title), page.title].map((name, position) => ({
          '@type': 'ListItem',
          position: position + 1,
          name,
        })),
      },
    ],
  })}</script>`;
}

/** Maximum length of a description taken from the text, in characters. */
const MAX_DESCRIPTION = 160;

/** The beginning of the first paragraph, for pages without a description. */
function excerptOf(nodes: readonly BlockNode[]): string | undefined {
  const first = nodes.find((node) => node.object === 'block' && node.type === 'paragraph');
  const text = first && shownText([first]).slice(0, 1000).replace(/\s+/g, ' ').trim();
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
