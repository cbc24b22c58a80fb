import type { PageObject } from '../../routers/content/pages.api.ts';

/** A page in its tree. */
export interface IndexedPage {
  page: PageObject;
  /** Those above it, the topmost first. */
  above: readonly PageObject[];
  /** Its place among the pages that are read one after the other; undefined for those that are not. */
  place?: number;
}

/** The pages of a space as one reader sees them. */
export interface PageIndex {
  pages: readonly PageObject[];
  count: number;
  byId: ReadonlyMap<string, IndexedPage>;
  byPath: ReadonlyMap<string, IndexedPage>;
  /** Whether pages are made from other sources, which change without a revision. */
  isLive: boolean;
  /** What is read one after the other: documents that are not hidden. */
  order: readonly IndexedPage[];
  /** The first of these, or the first hidden one; undefined if there are no documents. */
  first: IndexedPage | undefined;
}

export function indexPages(pages: readonly PageObject[]): PageIndex {
  const byId = new Map<string, IndexedPage>();
  const byPath = new Map<string, IndexedPage>();
  const order: IndexedPage[] = [];
  let hidden: IndexedPage | undefined;
  let isLive = false;
  const add = (list: readonly PageObject[], above: readonly PageObject[], isBelowHidden: boolean) => {
    for (const page of list) {
      const isHidden = isBelowHidden || page.hidden === true;
      const indexed: IndexedPage = { page, above };
      if (page.type === 'document') {
        if (isHidden) hidden ??= indexed;
        else indexed.place = order.push(indexed) - 1;
      }
      if (page.computed !== undefined || page.type === 'computed') isLive = true;
      byId.set(page.id, indexed);
      if (page.path !== undefined && !byPath.has(page.path)) byPath.set(page.path, indexed);
      if (page.pages) add(page.pages, [...above, page], isHidden);
    }
  };
  add(pages, [], false);
  return { pages, count: byId.size, isLive, byId, byPath, order, first: order[0] ?? hidden };
}

/** The first document in a page: itself, or one below it. */
export function firstDocument({ page }: IndexedPage, { byId }: PageIndex): IndexedPage | undefined {
  const open = [page];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === 'document') return byId.get(next.id);
    for (const child of (next.pages ?? []).toReversed()) if (child.hidden !== true) open.push(child);
  }
  return undefined;
}

/** Whether search engines may list a page: no flag of it, or of one above it, says otherwise. */
export const isListed = ({ page, above }: IndexedPage): boolean =>
  [...above, page].every(({ hidden, noIndex, noRobotsIndex }) => !hidden && !noIndex && !noRobotsIndex);
