import type { PageObject } from '../../routers/content/pages.api.ts';
import type { Steps } from '../../routers/engine/steps.ts';

/** A page with its position in the page tree. */
export interface IndexedPage {
  page: PageObject;
  /** Its ancestors, topmost first. */
  ancestors: readonly PageObject[];
  /** Its index in the reading order; undefined if it is not part of it. */
  position?: number;
}

/** The pages of a space that one reader can open, hidden ones included. */
export interface PageIndex {
  pages: readonly PageObject[];
  count: number;
  /** The number of pages in the table of contents. */
  listedCount: number;
  byId: ReadonlyMap<string, IndexedPage>;
  byPath: ReadonlyMap<string, IndexedPage>;
  /** Whether some pages are computed from sources that change without a new revision. */
  isLive: boolean;
  /** The reading order: all documents that are not hidden. */
  order: readonly IndexedPage[];
  /** The first document in reading order; undefined if there is none. */
  first: IndexedPage | undefined;
}

export function* indexPages(pages: readonly PageObject[]): Steps<PageIndex> {
  const byId = new Map<string, IndexedPage>();
  const byPath = new Map<string, IndexedPage>();
  const order: IndexedPage[] = [];
  let listedCount = 0;
  let isLive = false;
  function* add(
    list: readonly PageObject[],
    ancestors: readonly PageObject[],
    isBelowHidden: boolean,
  ): Steps<void> {
    for (const page of list) {
      const isHidden = isBelowHidden || page.hidden === true;
      const indexed: IndexedPage = { page, ancestors };
      if (!isHidden) {
        listedCount += 1;
        if (page.type === 'document') indexed.position = order.push(indexed) - 1;
      }
      if (page.computed !== undefined || page.type === 'computed') isLive = true;
      byId.set(page.id, indexed);
      if (page.path !== undefined && !byPath.has(page.path)) byPath.set(page.path, indexed);
      yield;
      if (page.pages) yield* add(page.pages, [...ancestors, page], isHidden);
    }
  }
  yield* add(pages, [], false);
  return { pages, count: byId.size, listedCount, isLive, byId, byPath, order, first: order[0] };
}

/** The page itself if it is a document, or else the first visible document below it. */
export function firstDocument({ page }: IndexedPage, { byId }: PageIndex): IndexedPage | undefined {
  const open = [page];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === 'document') return byId.get(next.id);
    for (const child of (next.pages ?? []).toReversed()) if (child.hidden !== true) open.push(child);
  }
  return undefined;
}

/** Whether search engines may index a page: neither it nor an ancestor has a flag against it. */
export const isPageIndexable = ({ page, ancestors }: IndexedPage): boolean =>
  // guard: page-robots-flag
  [...ancestors, page].every(({ hidden, noIndex, noRobotsIndex }) => !hidden && !noIndex && !noRobotsIndex);
