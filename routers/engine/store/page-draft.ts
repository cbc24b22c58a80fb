import type { ChangedPageTree, PageTree } from './depth.ts';
import type { ObjectBuffer } from './objects.ts';
import { getValues, scanMany } from './ordered-map.ts';
import type { PageChange } from './page-index.ts';
import { asPage, bySiblingOrder, childRange, type PageRecord, type Root, type TreeEntry } from './records.ts';

/** The children of a page while a batch of changes is applied. */
type Siblings = {
  order: PageRecord[];
  /** The id of the page at each slug. */
  slugs: Map<string, string>;
  /**
   * The lowest suffix that may be available, by what precedes it, so that suffixes are not tried again if many pages have
   * the same name.
   */
  suffixes: Map<string, number>;
};

/** The pages of a root while a batch of changes is applied; unchanged pages are read from the root. */
export type PageDraft = {
  /** Reads what a batch needs in a few large reads instead of many small ones. */
  prefetch(ids: Iterable<string>, parents: Iterable<string | null>): Promise<void>;
  get(id: string): Promise<PageRecord | undefined>;
  siblings(parent: string | null): Promise<Siblings>;
  set(page: PageRecord): Promise<void>;
  remove(id: string): Promise<void>;
  changes(): PageChange[];
  /** The pages in the root. */
  readonly before: PageTree;
  /** The pages after the changes so far. */
  readonly after: ChangedPageTree;
};

export function draftPages(buffer: ObjectBuffer, root: Root): PageDraft {
  const stored = new Map<string, PageRecord | undefined>();
  const current = new Map<string, PageRecord | undefined>();
  const loaded = new Map<string | null, Siblings>();

  async function readStored(ids: Iterable<string>): Promise<void> {
    const missing = [...ids].filter((id) => !stored.has(id));
    if (missing.length === 0) return;
    const pages = await getValues(buffer, root.pages, missing);
    for (const id of missing) stored.set(id, asPage(pages.get(id)));
  }

  /** Must be called before any children of these parents change, since it reads the state of the root. */
  async function readSiblings(parents: Iterable<string | null>): Promise<void> {
    const missing = [...new Set(parents)].filter((parent) => !loaded.has(parent));
    if (missing.length === 0) return;
    const ranges = await scanMany(buffer, root.tree, missing.map(childRange));
    const ids = ranges.map((entries) => entries.map(([, entry]) => (entry as TreeEntry).id));
    await readStored(ids.flat());
    for (const [index, parent] of missing.entries()) {
      const order = (ids[index] as string[]).map((id) => stored.get(id) as PageRecord);
      const slugs = new Map(order.map(({ slug, id }) => [slug, id]));
      loaded.set(parent, { order, slugs, suffixes: new Map() });
    }
  }

  async function siblings(parent: string | null): Promise<Siblings> {
    if (!loaded.has(parent)) await readSiblings([parent]);
    return loaded.get(parent) as Siblings;
  }

  async function get(id: string): Promise<PageRecord | undefined> {
    if (current.has(id)) return current.get(id);
    await readStored([id]);
    return stored.get(id);
  }

  async function detach(page: PageRecord): Promise<void> {
    const { order, slugs, suffixes } = await siblings(page.parent);
    order.splice(siblingIndex(order, page), 1);
    if (slugs.get(page.slug) !== page.id) return;
    slugs.delete(page.slug);
    const [, stem, suffix] = /^(.*)-([1-9]\d{0,8})$/.exec(page.slug) ?? [];
    if (stem !== undefined && Number(suffix) < (suffixes.get(stem) ?? 0)) suffixes.set(stem, Number(suffix));
  }

  async function childIds(parents: readonly string[]): Promise<string[][]> {
    const unread = parents.filter((parent) => !loaded.has(parent));
    const ranges = await scanMany(buffer, root.tree, unread.map(childRange));
    const read = new Map(unread.map((parent, index) => [parent, ranges[index] ?? []]));
    return parents.map(
      (parent) =>
        loaded.get(parent)?.order.map(({ id }) => id) ??
        (read.get(parent) ?? []).map(([, entry]) => (entry as TreeEntry).id),
    );
  }

  return {
    get,
    siblings,
    async prefetch(ids, parents) {
      await readStored(ids);
      await readSiblings(parents);
    },
    async set(page) {
      const before = await get(page.id);
      const { order, slugs } = await siblings(page.parent);
      if (before) await detach(before);
      order.splice(siblingIndex(order, page), 0, page);
      slugs.set(page.slug, page.id);
      current.set(page.id, page);
    },
    async remove(id) {
      const page = await get(id);
      if (page) await detach(page);
      current.set(id, undefined);
    },
    changes: () => [...current].map(([id, after]) => ({ before: stored.get(id), after })),
    before: {
      async pages(ids) {
        await readStored(ids);
        return stored;
      },
    },
    after: {
      async pages(ids) {
        const wanted = [...ids];
        await readStored(wanted.filter((id) => !current.has(id)));
        return new Map(wanted.map((id) => [id, current.has(id) ? current.get(id) : stored.get(id)]));
      },
      childIds,
    },
  };
}

/** The index of a page among its siblings, or where it would be inserted. */
export function siblingIndex(order: readonly PageRecord[], page: PageRecord): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bySiblingOrder(order[middle] as PageRecord, page) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
