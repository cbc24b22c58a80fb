import type { PageObject } from '../../routers/content/pages.api.ts';
import { safeHref } from '../../routers/engine/document/safe-href.ts';
import { type Html, html } from '../http/html.ts';
import { changeMarker } from './change-request-preview.ts';
import { iconOf } from './content.ts';
import { ownId } from './document/own-ids.ts';
import { uiIcon } from './icons.ts';
import type { Texts } from './languages/texts.ts';
import type { IndexedPage, PageIndex } from './page-index.ts';
import { pageHref, type Visit } from './visit.ts';

/** Above this number of pages, only the branch of the current page is expanded. */
const MAX_LISTED = 400;

/** Maximum number of pages listed below one page. */
const MAX_SIBLINGS = 500;

interface Tree {
  visit: Visit;
  index: PageIndex;
  current: IndexedPage | undefined;
  isLarge: boolean;
  texts: Texts;
}

/** Renders the pages of a space as a tree beside the page. */
export function tableOfContents(
  visit: Visit,
  index: PageIndex,
  current: IndexedPage | undefined,
  { texts, top }: { texts: Texts; top: Html | undefined },
): Html {
  const tree = { visit, index, current, texts, isLarge: index.listedCount > MAX_LISTED };
  return html`<aside class="side" id="${ownId('contents')}" aria-label="${texts.contents}"><div class="side-in"><div class="side-top"><a class="close-side tool" href="#${ownId('main')}" aria-label="${texts.close}">${uiIcon('close')}</a>${top}</div><nav aria-label="${texts.contents}">${renderList(index.pages, tree)}</nav></div></aside>`;
}

const isVisible = ({ hidden, type }: PageObject) => hidden !== true && type !== 'computed';

function renderList(pages: readonly PageObject[], tree: Tree, isFolded = false): Html | undefined {
  const listed = pages.filter(isVisible);
  if (listed.length === 0) return undefined;
  const { current } = tree;
  const currentIndex = Math.max(
    0,
    listed.findIndex(({ id }) => id === current?.page.id || current?.ancestors.some((one) => one.id === id)),
  );
  const from = Math.max(0, Math.min(currentIndex - MAX_SIBLINGS / 2, listed.length - MAX_SIBLINGS));
  return html`<ul${isFolded && html` hidden`}>${listed.slice(from, from + MAX_SIBLINGS).map((page) => renderEntry(page, tree))}</ul>`;
}

function renderEntry(page: PageObject, tree: Tree): Html {
  const { visit, index, current, isLarge, texts } = tree;
  const icon = iconOf(page);
  const children = page.pages ?? [];
  const mark = changeMarker(visit, page.id, texts);
  if (page.type === 'group')
    return html`<li class="group"><p>${icon}${page.title}${mark}</p>${renderList(children, tree)}</li>\n`;
  const isCurrent = page.id === current?.page.id;
  if (page.type === 'link') {
    const href = page.href === undefined ? undefined : safeHref(page.href);
    return html`<li>${href === undefined ? html`<span class="entry">${icon}${page.title}</span>` : html`<a class="entry" href="${href}">${icon}<span>${page.title}</span>${uiIcon('out')}</a>`}</li>\n`;
  }
  const isFirst = page.id === index.first?.page.id;
  const href = pageHref(visit, visit.place, isFirst ? undefined : page.path);
  const link = html`<a class="entry" href="${href}"${isCurrent && html` aria-current="page"`}>${icon}<span>${page.title}</span>${mark}</a>`;
  const hasChildren = children.some(isVisible);
  if (!hasChildren) return html`<li>${link}</li>\n`;
  const isOpen = isCurrent || current?.ancestors.some(({ id }) => id === page.id) === true;
  const isShown = isOpen || !isLarge;
  const fold =
    isShown &&
    html`<button type="button" class="fold" hidden aria-expanded="${isOpen ? 'true' : 'false'}" aria-label="${page.title}">${uiIcon('next')}</button>`;
  return html`<li class="parent"><div>${link}${fold}</div>${isShown && renderList(children, tree, !isOpen)}</li>\n`;
}
