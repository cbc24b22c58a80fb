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
export class PageDraft {
  readonly #buffer: ObjectBuffer;
  readonly #root: Root;
  /** Pages as they are in the root; undefined if there is no such page. */
  readonly #stored = new Map<string, PageRecord | undefined>();
  /** Changed pages; undefined if removed. */
  readonly #current = new Map<string, PageRecord | undefined>();
  readonly #siblings = new Map<string | null, Siblings>();

  constructor(buffer: ObjectBuffer, root: Root) {
    this.#buffer = buffer;
    this.#root = root;
  }

  /** Reads what a batch needs in a few large reads instead of many small ones. */
  async prefetch(ids: Iterable<string>, parents: Iterable<string | null>): Promise<void> {
    await this.#readStored(ids);
    await this.#readSiblings(parents);
  }

  async get(id: string): Promise<PageRecord | undefined> {
    if (this.#current.has(id)) return this.#current.get(id);
    await this.#readStored([id]);
    return this.#stored.get(id);
  }

  async siblings(parent: string | null): Promise<Siblings> {
    if (!this.#siblings.has(parent)) await this.#readSiblings([parent]);
    return this.#siblings.get(parent) as Siblings;
  }

  async set(page: PageRecord): Promise<void> {
    const before = await this.get(page.id);
    const { order, slugs } = await this.siblings(page.parent);
    if (before) await this.#detach(before);
    order.splice(siblingIndex(order, page), 0, page);
    slugs.set(page.slug, page.id);
    this.#current.set(page.id, page);
  }

  async remove(id: string): Promise<void> {
    const page = await this.get(id);
    if (page) await this.#detach(page);
    this.#current.set(id, undefined);
  }

  changes(): PageChange[] {
    return [...this.#current].map(([id, after]) => ({ before: this.#stored.get(id), after }));
  }

  /** The pages in the root. */
  get before(): PageTree {
    return {
      pages: async (ids) => {
        await this.#readStored(ids);
        return this.#stored;
      },
    };
  }

  /** The pages after the changes so far. */
  get after(): ChangedPageTree {
    return {
      pages: async (ids) => {
        const wanted = [...ids];
        await this.#readStored(wanted.filter((id) => !this.#current.has(id)));
        return new Map(
          wanted.map((id) => [id, this.#current.has(id) ? this.#current.get(id) : this.#stored.get(id)]),
        );
      },
      childIds: (parents) => this.#childIds(parents),
    };
  }

  async #readStored(ids: Iterable<string>): Promise<void> {
    const missing = [...ids].filter((id) => !this.#stored.has(id));
    if (missing.length === 0) return;
    const pages = await getValues(this.#buffer, this.#root.pages, missing);
    for (const id of missing) this.#stored.set(id, asPage(pages.get(id)));
  }

  /** Must be called before any children of these parents change, since it reads the state of the root. */
  async #readSiblings(parents: Iterable<string | null>): Promise<void> {
    const missing = [...new Set(parents)].filter((parent) => !this.#siblings.has(parent));
    if (missing.length === 0) return;
    const ranges = await scanMany(this.#buffer, this.#root.tree, missing.map(childRange));
    const ids = ranges.map((entries) => entries.map(([, entry]) => (entry as TreeEntry).id));
    await this.#readStored(ids.flat());
    for (const [index, parent] of missing.entries()) {
      const order = (ids[index] as string[]).map((id) => this.#stored.get(id) as PageRecord);
      const slugs = new Map(order.map(({ slug, id }) => [slug, id]));
      this.#siblings.set(parent, { order, slugs, suffixes: new Map() });
    }
  }

  async #detach(page: PageRecord): Promise<void> {
    const { order, slugs, suffixes } = await this.siblings(page.parent);
    order.splice(siblingIndex(order, page), 1);
    if (slugs.get(page.slug) !== page.id) return;
    slugs.delete(page.slug);
    const [, stem, suffix] = /^(.*)-([1-9]\d{0,8})$/.exec(page.slug) ?? [];
    if (stem !== undefined && Number(suffix) < (suffixes.get(stem) ?? 0)) suffixes.set(stem, Number(suffix));
  }

  async #childIds(parents: readonly string[]): Promise<string[][]> {
    const unread = parents.filter((parent) => !this.#siblings.has(parent));
    const ranges = await scanMany(this.#buffer, this.#root.tree, unread.map(childRange));
    const read = new Map(unread.map((parent, index) => [parent, ranges[index] ?? []]));
    return parents.map(
      (parent) =>
        this.#siblings.get(parent)?.order.map(({ id }) => id) ??
        (read.get(parent) ?? []).map(([, entry]) => (entry as TreeEntry).id),
    );
  }
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
