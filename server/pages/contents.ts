import type { PageObject } from '../../routers/content/pages.api.ts';
import { safeHref } from '../../routers/engine/document/safe-href.ts';
import { type Html, html } from '../http/html.ts';
import { signOf } from './content.ts';
import { uiIcon } from './icons.ts';
import type { Texts } from './languages/texts.ts';
import type { IndexedPage, PageIndex } from './page-index.ts';
import { pageMark } from './proposal.ts';
import { pageHref, type Visit } from './visit.ts';

/** Spaces with more pages list only those on the way to the current one. */
const MAX_LISTED = 400;

/** Most pages that are listed below one page. */
const MAX_SIBLINGS = 500;

interface Listing {
  visit: Visit;
  index: PageIndex;
  current: IndexedPage | undefined;
  isLarge: boolean;
  texts: Texts;
}

/** The pages of a space, as a tree beside the page. */
export function tableOfContents(
  visit: Visit,
  index: PageIndex,
  current: IndexedPage | undefined,
  { texts, above }: { texts: Texts; above: Html | undefined },
): Html {
  const listing = { visit, index, current, texts, isLarge: index.count > MAX_LISTED };
  return html`<aside class="side" id="contents"><div class="side-in"><div class="side-top"><a class="close-side tool" href="#content" aria-label="${texts.close}">${uiIcon('close')}</a>${above}</div><nav aria-label="${texts.contents}">${list(index.pages, listing)}</nav></div></aside>`;
}

const isListed = ({ hidden, type }: PageObject) => hidden !== true && type !== 'computed';

function list(pages: readonly PageObject[], listing: Listing, isFolded = false): Html | undefined {
  const listed = pages.filter(isListed);
  if (listed.length === 0) return undefined;
  const { current } = listing;
  const at = Math.max(
    0,
    listed.findIndex(({ id }) => id === current?.page.id || current?.above.some((one) => one.id === id)),
  );
  const from = Math.max(0, Math.min(at - MAX_SIBLINGS / 2, listed.length - MAX_SIBLINGS));
  return html`<ul${isFolded && html` hidden`}>${listed.slice(from, from + MAX_SIBLINGS).map((page) => entry(page, listing))}</ul>`;
}

function entry(page: PageObject, listing: Listing): Html {
  const { visit, index, current, isLarge, texts } = listing;
  const sign = signOf(page);
  const below = page.pages ?? [];
  const mark = pageMark(visit, page.id, texts);
  if (page.type === 'group')
    return html`<li class="group"><p>${sign}${page.title}${mark}</p>${list(below, listing)}</li>\n`;
  const isCurrent = page.id === current?.page.id;
  if (page.type === 'link') {
    const href = page.href === undefined ? undefined : safeHref(page.href);
    return html`<li>${href === undefined ? html`<span class="entry">${sign}${page.title}</span>` : html`<a class="entry" href="${href}">${sign}<span>${page.title}</span>${uiIcon('out')}</a>`}</li>\n`;
  }
  const isFirst = page.id === index.first?.page.id;
  const href = pageHref(visit, visit.place, isFirst ? undefined : page.path);
  const link = html`<a class="entry" href="${href}"${isCurrent && html` aria-current="page"`}>${sign}<span>${page.title}</span>${mark}</a>`;
  const hasBelow = below.some(isListed);
  if (!hasBelow) return html`<li>${link}</li>\n`;
  const isOpen = isCurrent || current?.above.some(({ id }) => id === page.id) === true;
  const isShown = isOpen || !isLarge;
  const fold =
    isShown &&
    html`<button type="button" class="fold" hidden aria-expanded="${isOpen ? 'true' : 'false'}" aria-label="${page.title}">${uiIcon('next')}</button>`;
  return html`<li class="parent"><div>${link}${fold}</div>${isShown && list(below, listing, !isOpen)}</li>\n`;
}
