import type { z } from 'zod';
import type { PageWithContentObject } from '../../routers/content/pages.api.ts';
import { withHints } from '../../routers/engine/document/admonitions.ts';
import type { BlockNode } from '../../routers/engine/document/document.ts';
import { RESERVED_SEGMENT } from '../../routers/engine/store/site-files.ts';
import { type Html, html } from '../http/html.ts';
import { TRY_NAME } from './assets.ts';
import { diffBlocks } from './change-request-preview.ts';
import { iconOf, loadPageIndex, prepareDocument } from './content.ts';
import { renderDiff } from './document/differences.ts';
import { themedImage } from './document/inlines.ts';
import type { OutlineEntry } from './document/render-context.ts';
import { createRenderContext, renderInTurns } from './document/render-document.ts';
import { loadFrame } from './frame.ts';
import { isForAgents, pageHead } from './head.ts';
import type { Highlighter } from './highlight/highlighter.ts';
import { uiIcon } from './icons.ts';
import type { InterfaceLanguage } from './languages/index.ts';
import type { Texts } from './languages/texts.ts';
import { type Frame, pageScripts, renderLayout } from './layout.ts';
import { firstDocument, type IndexedPage, type PageIndex } from './page-index.ts';
import { contentPolicy } from './policy.ts';
import { fontOrigins, siteStyles } from './site-styles.ts';
import { tableOfContents } from './table-of-contents.ts';
import { originOf, variantSwitch } from './variants.ts';
import { pageHref, type Redirect, type Visit } from './visit.ts';

type PageWithContent = z.infer<typeof PageWithContentObject>;

/** A rendered page. */
export interface RenderedPage {
  text: string;
  policy: string;
  status: 200 | 404;
  /** Whether all highlighted code and formulas were ready in time. */
  isComplete: boolean;
  /** Whether the same site, revisions and visitor always give the same page. */
  isDeterministic: boolean;
}

/** The page at the address of a visit, if there is one. */
export function findPage({ pathname }: Pick<Visit, 'pathname'>, index: PageIndex): IndexedPage | undefined {
  return pathname === '' ? index.first : index.byPath.get(pathname);
}

/**
 * Renders the page at the address of a visit, or a page that says that the space is empty. Redirects from a group to its first
 * document. Undefined if there is no page.
 */
export async function renderPage(
  visit: Visit,
  highlighter: Highlighter,
): Promise<RenderedPage | Redirect | undefined> {
  const index = await loadPageIndex(visit, visit.place);
  const frame = await loadFrame(visit);
  if (visit.pathname === '' && !index.first) return renderEmpty(frame, index);
  const found = findPage(visit, index);
  if (!found) return undefined;
  const document = firstDocument(found, index);
  if (!document) return undefined;
  if (document !== found)
    return { redirect: pageHref(visit, visit.place, document.page.path), keepsQuery: true };
  return renderDocument(frame, index, document, highlighter);
}

async function renderDocument(
  frame: Frame,
  index: PageIndex,
  current: IndexedPage,
  highlighter: Highlighter,
): Promise<RenderedPage> {
  const { visit, language } = frame;
  const { texts, content } = language;
  const { page } = current;
  const { id: spaceId, revision: revisionId } = visit.place.siteSpace.space;
  const document =
    page.documentId === undefined
      ? undefined
      : await visit.call.revisions.pageDocument({
          spaceId,
          revisionId,
          pageId: page.id,
          evaluated: 'deterministic-only',
        });
  const source = (document?.nodes ?? []) as readonly BlockNode[];
  const diff = await diffBlocks(visit, page.id, source);
  const nodes = diff?.map(({ node }) => node) ?? source;
  const cover = page.cover && page.layout?.cover !== false ? page.cover : undefined;
  const coverNode = cover && ({ object: 'block', type: 'image', data: cover } as unknown as BlockNode);
  const prepared = await prepareDocument(visit, coverNode ? [coverNode, ...nodes] : nodes, {
    highlighter,
    texts,
    locale: content,
  });
  const context = createRenderContext(prepared.resources);
  const banner = cover && themedImage(cover as Record<string, unknown>, context, undefined, '');
  const shown = withHints(source);
  const article = diff ? renderDiff(diff, context) : await renderInTurns(shown, context);
  const layout = page.layout;
  const hasOutline = layout?.outline !== false && context.outline.length > 1;
  const styles = siteStyles(visit.customization) + [...context.rules].join('');
  const main = html`${banner && html`<div class="banner${layout?.coverSize === 'full' && ' full'}">${banner}</div>`}
<article>
${pageTop(visit, current, index, texts)}
<div class="content">${article}</div>
${context.notes}
</article>
${visit.customization.pagination.enabled && layout?.pagination !== false && previousAndNext(visit, current, index, language)}
${pageBottom(visit, current, frame)}`;
  const text = renderLayout(frame, {
    title: page.title,
    head: pageHead(frame, current, { index, nodes: shown }),
    side:
      layout?.tableOfContents === false
        ? undefined
        : tableOfContents(visit, index, current, {
            texts,
            top: variantSwitch(frame, originOf(current, index)),
          }),
    main,
    outline: hasOutline ? outline(context.outline, language) : undefined,
    styles,
    scripts: context.origins.size > 0 ? [TRY_NAME] : [],
    isWide: layout?.width === 'wide',
    isComplete: prepared.isComplete,
  }).text;
  return {
    text,
    policy: contentPolicy({
      styles: [styles],
      scripts: pageScripts(visit.customization),
      origins: context.origins,
      fonts: fontOrigins(visit.customization),
    }),
    status: 200,
    isComplete: prepared.isComplete,
    isDeterministic: prepared.isComplete && !prepared.isLive && !index.isLive,
  };
}

/** The breadcrumbs, title and description above the text of a page. */
function pageTop(visit: Visit, { page, ancestors }: IndexedPage, index: PageIndex, texts: Texts): Html {
  const breadcrumbs = ancestors.map((one) => {
    const indexed = index.byId.get(one.id);
    const document = one.type === 'document' ? indexed : undefined;
    const path = document === index.first ? undefined : document?.page.path;
    return document
      ? html`<li><a href="${pageHref(visit, visit.place, path)}">${one.title}</a></li>`
      : html`<li>${one.title}</li>`;
  });
  const { title, description } = page.layout ?? {};
  return html`${breadcrumbs.length > 0 && html`<nav class="breadcrumbs" aria-label="${texts.breadcrumbs}"><ol>${breadcrumbs}</ol></nav>`}
<h1${title === false && html` class="visually-hidden"`}>${iconOf(page)}${page.title}</h1>
${page.description !== undefined && page.description !== '' && description !== false && html`<p class="lead">${page.description}</p>`}`;
}

function previousAndNext(
  visit: Visit,
  { position }: IndexedPage,
  { order, first }: PageIndex,
  { texts, mark }: InterfaceLanguage,
): Html | undefined {
  if (position === undefined) return undefined;
  const link = (to: IndexedPage | undefined, name: 'previous' | 'next') =>
    to &&
    html`<a class="${name}" rel="${name === 'next' ? 'next' : 'prev'}" href="${pageHref(visit, visit.place, to === first ? undefined : to.page.path)}">${name === 'previous' && uiIcon('previous')}<span><small${mark}>${texts[name]}</small>${to.page.title}</span>${name === 'next' && uiIcon('next')}</a>`;
  const before = link(order[position - 1], 'previous');
  const after = link(order[position + 1], 'next');
  return before || after
    ? html`<nav class="neighbours" aria-label="${texts.previous}, ${texts.next}">${before}${after}</nav>`
    : undefined;
}

function pageBottom(visit: Visit, { page }: IndexedPage, { language }: Frame): Html {
  const { texts, locale, mark } = language;
  const date = new Date(page.updatedAt);
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(date);
  const markdown =
    visit.customization.pageActions.markdown &&
    isForAgents(visit) &&
    html`<a href="${pageHref(visit, visit.place, page.path)}.md"${mark}>${texts.viewMarkdown}</a>`;
  const pdf =
    visit.customization.pdf.enabled &&
    !visit.isMember &&
    html`<a rel="nofollow" href="${pageHref(visit, visit.place, `${RESERVED_SEGMENT}/pdf`)}?page=${page.id}">PDF</a>`;
  const updated =
    page.layout?.metadata !== false &&
    html`<span${mark}><bdi>${texts.updated} <time datetime="${page.updatedAt}">${when}</time></bdi></span>`;
  return html`<p class="page-foot">${updated}${markdown}${pdf}</p>`;
}

const outline = (entries: readonly OutlineEntry[], { texts, mark }: InterfaceLanguage): Html =>
  html`<aside class="outline" aria-label="${texts.onThisPage}"><nav aria-label="${texts.onThisPage}"><h2${mark}>${texts.onThisPage}</h2><ul>${entries.map(
    ({ level, anchor, title }) =>
      html`<li class="level-${level}"><a href="#${encodeURIComponent(anchor)}">${title}</a></li>`,
  )}</ul></nav></aside>`;

/** Renders a page of the site that is not content, such as a search. */
export function renderNotice(
  frame: Frame,
  index: PageIndex | undefined,
  { title, main, status = 200 }: { title: string; main: Html; status?: 200 | 404 },
): RenderedPage {
  const { visit, language } = frame;
  const styles = siteStyles(visit.customization);
  const text = renderLayout(frame, {
    title,
    head: html`<meta name="robots" content="noindex">`,
    side:
      index?.first &&
      tableOfContents(visit, index, undefined, {
        texts: language.texts,
        top: variantSwitch(frame, status === 404 ? { path: visit.pathname } : undefined),
      }),
    main,
    styles,
  }).text;
  return {
    text,
    policy: contentPolicy({
      styles: [styles],
      scripts: pageScripts(visit.customization),
      fonts: fontOrigins(visit.customization),
    }),
    status,
    isComplete: true,
    isDeterministic: true,
  };
}

function renderEmpty(frame: Frame, index: PageIndex): RenderedPage {
  const { texts, mark } = frame.language;
  return renderNotice(frame, index, {
    title: texts.empty,
    main: html`<article${mark}><h1>${texts.empty}</h1><p class="lead" dir="auto">${texts.emptyText}</p></article>`,
  });
}

/** The 404 page of a site, with a search form and a link to the first page. */
export async function renderNotFound(visit: Visit): Promise<RenderedPage> {
  const [frame, index] = await Promise.all([loadFrame(visit), loadPageIndex(visit, visit.place)]);
  const { texts, mark } = frame.language;
  return renderNotice(frame, index, {
    title: texts.notFound,
    status: 404,
    main: html`<article${mark}><h1>${texts.notFound}</h1><p class="lead" dir="auto">${texts.notFoundText} ${texts.searchInstead}</p>${searchForm(visit, texts, '')}<p><a class="button secondary" href="${visit.base}">${texts.toStart}</a></p></article>`,
  });
}

/** A page that says why the page at an address no longer exists, with a search form. */
export async function renderGone(
  visit: Visit,
  { title, document }: Pick<PageWithContent, 'title' | 'document'>,
  highlighter: Highlighter,
): Promise<RenderedPage> {
  const [frame, index] = await Promise.all([loadFrame(visit), loadPageIndex(visit, visit.place)]);
  const { texts, content, mark } = frame.language;
  const nodes = (document?.nodes ?? []) as readonly BlockNode[];
  const prepared = await prepareDocument(visit, nodes, { highlighter, texts, locale: content });
  const reason = await renderInTurns(nodes, createRenderContext(prepared.resources));
  const notice = renderNotice(frame, index, {
    title,
    status: 404,
    main: html`<article><h1>${title}</h1><div class="content">${reason}</div><div${mark}>${searchForm(visit, texts, '')}</div></article>`,
  });
  return { ...notice, isDeterministic: false };
}

export const searchForm = ({ base }: Visit, texts: Texts, query: string): Html =>
  html`<form class="search-form" action="${base}~/search" role="search"><input type="search" name="q" value="${query}" maxlength="200" aria-label="${texts.search}" placeholder="${texts.searchPlaceholder}"><button class="button primary">${texts.search}</button></form>`;
