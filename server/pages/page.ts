import type { BlockNode } from '../../routers/engine/document/document.ts';
import { type Html, html } from '../http/html.ts';
import { OWN } from './address.ts';
import { TRY_NAME } from './assets.ts';
import { pagesOf, prepare, signOf } from './content.ts';
import { tableOfContents } from './contents.ts';
import { drawBlocks } from './document/blocks.ts';
import { themedImage } from './document/inlines.ts';
import type { Drawing, OutlineEntry } from './document/view.ts';
import { frameOf } from './frame.ts';
import { pageHead } from './head.ts';
import type { Highlighter } from './highlight/highlighter.ts';
import { uiIcon } from './icons.ts';
import type { Texts } from './languages/texts.ts';
import { type Frame, pageScripts, variantSwitch, wholePage } from './layout.ts';
import { fontOrigins, siteStyles } from './look.ts';
import { firstDocument, type IndexedPage, type PageIndex } from './page-index.ts';
import { contentPolicy } from './policy.ts';
import { drawMarked, markedBlocks } from './proposal.ts';
import { type Elsewhere, pageHref, pathOn, type Visit } from './visit.ts';

/** A page as it is sent. */
export interface Drawn {
  text: string;
  policy: string;
  status: 200 | 404;
  /** Whether it has everything: colours and formulas may have come too late. */
  isComplete: boolean;
  /** Whether it is drawn the same as long as the site, its spaces and the visitor are. */
  isSettled: boolean;
}

/** The page that the address names: `undefined` if there is none, or where it is. */
export function findPage({ pathname }: Pick<Visit, 'pathname'>, index: PageIndex): IndexedPage | undefined {
  return pathname === '' ? index.first : index.byPath.get(pathname);
}

/** Draws the page at the address of a visit; an empty space has a page that says so. */
export async function drawPage(
  visit: Visit,
  highlighter: Highlighter,
): Promise<Drawn | Elsewhere | undefined> {
  const index = await pagesOf(visit, visit.place);
  const frame = await frameOf(visit);
  if (visit.pathname === '' && !index.first) return drawEmpty(frame, index);
  const named = findPage(visit, index);
  if (!named) return undefined;
  const shown = firstDocument(named, index);
  if (!shown) return undefined;
  if (shown !== named) return { redirect: pageHref(visit, visit.place, shown.page.path) };
  return drawDocument(frame, index, shown, highlighter);
}

async function drawDocument(
  frame: Frame,
  index: PageIndex,
  current: IndexedPage,
  highlighter: Highlighter,
): Promise<Drawn> {
  const { visit, language } = frame;
  const { texts, locale } = language;
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
  const written = (document?.nodes ?? []) as readonly BlockNode[];
  const marked = await markedBlocks(visit, page.id, written);
  const nodes = marked?.map(({ node }) => node) ?? written;
  const cover = page.cover && page.layout?.cover !== false ? page.cover : undefined;
  const coverNode = cover && ({ object: 'block', type: 'image', data: cover } as unknown as BlockNode);
  const prepared = await prepare(visit, coverNode ? [coverNode, ...nodes] : nodes, {
    highlighter,
    texts,
    locale,
  });
  const drawing: Drawing = {
    ...prepared.view,
    blocks: (inside) => drawBlocks(inside, drawing),
    outline: [],
    notes: [],
    rules: new Set(),
    origins: new Set(),
    hasImage: false,
    isOutlined: true,
    depth: 0,
    count: 0,
  };
  const banner = cover && themedImage(cover as Record<string, unknown>, drawing, undefined, '');
  const article = marked ? drawMarked(marked, drawing) : drawBlocks(written, drawing);
  const layout = page.layout;
  const hasOutline = layout?.outline !== false && drawing.outline.length > 1;
  const styles = siteStyles(visit.customization) + [...drawing.rules].join('');
  const main = html`${banner && html`<div class="banner${layout?.coverSize === 'full' && ' full'}">${banner}</div>`}
<article>
${pageTop(visit, current, index, texts)}
<div class="content">${article}</div>
${drawing.notes}
</article>
${visit.customization.pagination.enabled && layout?.pagination !== false && neighbours(visit, current, index, texts)}
${pageBottom(visit, current, frame)}`;
  const text = wholePage(frame, {
    title: page.title,
    head: pageHead(frame, current, { index, nodes: written }),
    side:
      layout?.tableOfContents === false
        ? undefined
        : tableOfContents(visit, index, current, { texts, above: variantSwitch(frame) }),
    main,
    outline: hasOutline ? outline(drawing.outline, texts) : undefined,
    styles,
    scripts: drawing.origins.size > 0 ? [TRY_NAME] : [],
    isWide: layout?.width === 'wide',
    isComplete: prepared.isComplete,
  }).text;
  return {
    text,
    policy: contentPolicy({
      styles: [styles],
      scripts: pageScripts(visit.customization),
      origins: drawing.origins,
      fonts: fontOrigins(visit.customization),
    }),
    status: 200,
    isComplete: prepared.isComplete,
    isSettled: prepared.isComplete && !prepared.isLive && !index.isLive,
  };
}

/** What stands above the text of a page: where it is, what it is called, what it is about. */
function pageTop(visit: Visit, { page, above }: IndexedPage, index: PageIndex, texts: Texts): Html {
  const line = above.map((one) => {
    const indexed = index.byId.get(one.id);
    const document = one.type === 'document' ? indexed : undefined;
    const path = document === index.first ? undefined : document?.page.path;
    return document
      ? html`<li><a href="${pageHref(visit, visit.place, path)}">${one.title}</a></li>`
      : html`<li>${one.title}</li>`;
  });
  const { title, description } = page.layout ?? {};
  return html`${line.length > 0 && html`<nav class="breadcrumbs" aria-label="${texts.breadcrumbs}"><ol>${line}</ol></nav>`}
<h1${title === false && html` class="unseen"`}>${signOf(page)}${page.title}</h1>
${page.description !== undefined && page.description !== '' && description !== false && html`<p class="lead">${page.description}</p>`}`;
}

function neighbours(
  visit: Visit,
  { place }: IndexedPage,
  { order, first }: PageIndex,
  texts: Texts,
): Html | undefined {
  if (place === undefined) return undefined;
  const link = (to: IndexedPage | undefined, name: 'previous' | 'next') =>
    to &&
    html`<a class="${name}" rel="${name === 'next' ? 'next' : 'prev'}" href="${pageHref(visit, visit.place, to === first ? undefined : to.page.path)}">${name === 'previous' && uiIcon('previous')}<span><small>${texts[name]}</small>${to.page.title}</span>${name === 'next' && uiIcon('next')}</a>`;
  const before = link(order[place - 1], 'previous');
  const after = link(order[place + 1], 'next');
  return before || after
    ? html`<nav class="neighbours" aria-label="${texts.previous}, ${texts.next}">${before}${after}</nav>`
    : undefined;
}

function pageBottom(visit: Visit, { page }: IndexedPage, { language }: Frame): Html {
  const { texts, locale } = language;
  const date = new Date(page.updatedAt);
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(date);
  const markdown =
    visit.customization.pageActions.markdown &&
    html`<a href="${pageHref(visit, visit.place, page.path)}.md">${texts.viewMarkdown}</a>`;
  const pdf =
    visit.customization.pdf.enabled &&
    !visit.isMember &&
    html`<a rel="nofollow" href="${pathOn(visit, [...visit.place.segments, OWN, 'pdf'])}?page=${page.id}">PDF</a>`;
  const updated =
    page.layout?.metadata !== false &&
    html`<span>${texts.updated} <time datetime="${page.updatedAt}">${when}</time></span>`;
  return html`<p class="page-foot">${updated}${markdown}${pdf}</p>`;
}

const outline = (entries: readonly OutlineEntry[], texts: Texts): Html =>
  html`<aside class="outline"><nav aria-label="${texts.onThisPage}"><h2>${texts.onThisPage}</h2><ul>${entries.map(
    ({ level, anchor, title }) =>
      html`<li class="level-${level}"><a href="#${encodeURIComponent(anchor)}">${title}</a></li>`,
  )}</ul></nav></aside>`;

/** A page of the site that is none of its content. */
export function drawNotice(
  frame: Frame,
  index: PageIndex | undefined,
  { title, main, status = 200 }: { title: string; main: Html; status?: 200 | 404 },
): Drawn {
  const { visit, language } = frame;
  const styles = siteStyles(visit.customization);
  const text = wholePage(frame, {
    title,
    head: html`<meta name="robots" content="noindex">`,
    side:
      index?.first &&
      tableOfContents(visit, index, undefined, { texts: language.texts, above: variantSwitch(frame) }),
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
    isSettled: true,
  };
}

function drawEmpty(frame: Frame, index: PageIndex): Drawn {
  const { texts } = frame.language;
  return drawNotice(frame, index, {
    title: texts.empty,
    main: html`<article><h1>${texts.empty}</h1><p class="lead">${texts.emptyText}</p></article>`,
  });
}

/** The page for an address of a site where there is nothing: with a search, and the way to the start. */
export async function drawNotFound(visit: Visit): Promise<Drawn> {
  const [frame, index] = await Promise.all([frameOf(visit), pagesOf(visit, visit.place)]);
  const { texts } = frame.language;
  return drawNotice(frame, index, {
    title: texts.notFound,
    status: 404,
    main: html`<article><h1>${texts.notFound}</h1><p class="lead">${texts.notFoundText}</p>${searchForm(visit, texts, '')}<p><a class="button secondary" href="${visit.base}">${texts.toStart}</a></p></article>`,
  });
}

export const searchForm = ({ base }: Visit, texts: Texts, query: string): Html =>
  html`<form class="search-form" action="${base}~/search" role="search"><input type="search" name="q" value="${query}" maxlength="200" aria-label="${texts.search}" placeholder="${texts.searchPlaceholder}"><button class="button primary">${texts.search}</button></form>`;
