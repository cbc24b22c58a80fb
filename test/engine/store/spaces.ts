import { expect } from 'vitest';
import {
  editSnapshot,
  type Mutation,
  type PageInput,
  putEmptyRoot,
} from '../../../routers/engine/store/edit.ts';
import { scan } from '../../../routers/engine/store/ordered-map.ts';
import { openSnapshot, type PageNode } from '../../../routers/engine/store/snapshot.ts';
import { commit, type MemoryStore } from './memory-store.ts';

const TIME = '2026-01-01T00:00:00.000Z';

/** A page of type `document` with its id as the title. */
export const page = (id: string, fields: Partial<PageInput> = {}): PageInput => ({
  id,
  type: 'document',
  title: id,
  createdAt: TIME,
  updatedAt: TIME,
  ...fields,
});

export const put = (id: string, parent: string | null = null, fields: Partial<PageInput> = {}): Mutation => ({
  type: 'put-page',
  page: page(id, fields),
  parent,
});

export const emptyRoot = (store: MemoryStore): Promise<string> => commit(store, putEmptyRoot);

/** Applies mutations to a root, by default to that of an empty space. */
export async function edit(
  store: MemoryStore,
  mutations: readonly Mutation[],
  root?: string,
): Promise<string> {
  const base = root ?? (await emptyRoot(store));
  return commit(store, (buffer) => editSnapshot(buffer, base, mutations));
}

/** Formats the page tree as ids, such as `a(b c(d))`. */
export async function outline(store: MemoryStore, root: string): Promise<string> {
  const write = (nodes: readonly PageNode[]): string =>
    nodes.map(({ page: { id }, pages }) => (pages.length > 0 ? `${id}(${write(pages)})` : id)).join(' ');
  return write(await (await openSnapshot(store, root)).pageTree());
}

/** Asserts that every page is reachable from the top level, exactly once, by a unique slug, in both derived maps. */
export async function expectConsistent(store: MemoryStore, root: string) {
  const snapshot = await openSnapshot(store, root);
  const pages = (await scan(store, snapshot.root.pages)).map(([id]) => id);
  const seen: string[] = [];
  const visit = async (parent: string | null, path: string[]) => {
    for (const child of await snapshot.children(parent)) {
      seen.push(child.id);
      expect(child.parent).toBe(parent);
      const childPath = [...path, child.slug];
      expect((await snapshot.pageByPath(childPath))?.id).toBe(child.id);
      await visit(child.id, childPath);
    }
  };
  await visit(null, []);
  expect(seen.sort()).toEqual(pages);
  expect(await scan(store, snapshot.root.slugs)).toHaveLength(pages.length);
  expect(await scan(store, snapshot.root.tree)).toHaveLength(pages.length);
}
