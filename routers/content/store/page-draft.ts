import type { ObjectBuffer } from './objects.ts';
import { getValues, scanMany } from './ordered-map.ts';
import type { PageChange } from './page-index.ts';
import { asPage, bySiblingOrder, childRange, type PageRecord, type Root, type TreeEntry } from './records.ts';

/** The children of one page while a batch of changes is applied. */
type Siblings = { order: PageRecord[]; slugs: Map<string, string> };

/** The pages of a root under a batch of changes: reads through to the root what the batch has not touched. */
export type PageDraft = {
  /** Reads what a batch will need in few large reads instead of many small ones. */
  prefetch(ids: Iterable<string>, parents: Iterable<string | null>): Promise<void>;
  get(id: string): Promise<PageRecord | undefined>;
  siblings(parent: string | null): Promise<Siblings>;
  set(page: PageRecord): Promise<void>;
  remove(id: string): Promise<void>;
  changes(): PageChange[];
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

  /** Must run before anything below these parents changes: what it reads is the state of the root. */
  async function readSiblings(parents: Iterable<string | null>): Promise<void> {
    const missing = [...new Set(parents)].filter((parent) => !loaded.has(parent));
    if (missing.length === 0) return;
    const ranges = await scanMany(buffer, root.tree, missing.map(childRange));
    const ids = ranges.map((entries) => entries.map(([, entry]) => (entry as TreeEntry).id));
    await readStored(ids.flat());
    for (const [index, parent] of missing.entries()) {
      const order = (ids[index] as string[]).map((id) => stored.get(id) as PageRecord);
      loaded.set(parent, { order, slugs: new Map(order.map(({ slug, id }) => [slug, id])) });
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
    const { order, slugs } = await siblings(page.parent);
    order.splice(
      order.findIndex(({ id }) => id === page.id),
      1,
    );
    if (slugs.get(page.slug) === page.id) slugs.delete(page.slug);
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
      order.splice(insertionIndex(order, page), 0, page);
      slugs.set(page.slug, page.id);
      current.set(page.id, page);
    },
    async remove(id) {
      const page = await get(id);
      if (page) await detach(page);
      current.set(id, undefined);
    },
    changes: () => [...current].map(([id, after]) => ({ before: stored.get(id), after })),
  };
}

function insertionIndex(order: readonly PageRecord[], page: PageRecord): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bySiblingOrder(order[middle] as PageRecord, page) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
