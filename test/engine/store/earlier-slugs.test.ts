import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type EarlierSlug,
  earlierSlugs,
  pagesAtEarlierPath,
} from '../../../routers/engine/store/earlier-slugs.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { openSnapshot, type PageNode } from '../../../routers/engine/store/snapshot.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import { edit, put } from './spaces.ts';

const rename = (id: string, slug: string): Mutation => ({ type: 'patch-page', id, fields: { slug } });
const move = (id: string, parent: string | null): Mutation => ({
  type: 'patch-page',
  id,
  fields: {},
  parent,
});
const drop = (id: string): Mutation => ({ type: 'delete-page', id });

/** The earlier slugs of a change of `a(b(c)) d`, as `parent/slug page`. */
async function slugsOf(...mutations: Mutation[]): Promise<string[]> {
  const store = createMemoryStore();
  const before = await edit(store, [put('a'), put('b', 'a'), put('c', 'b'), put('d')]);
  const after = await edit(store, mutations, before);
  const slugs = await earlierSlugs(store, { before, after });
  return slugs.map(({ parent, slug, page }) => `${parent ?? ''}/${slug} ${page}`).sort();
}

describe('the earlier slugs of a change', () => {
  test.for<[string, Mutation[], string[]]>([
    ['a renamed page', [rename('b', 'x')], ['a/b b']],
    ['a renamed page with pages below it', [rename('a', 'x')], ['/a a']],
    ['a moved page, with those above it', [move('c', 'd')], ['/a a', 'a/b b', 'b/c c']],
    ['a moved and renamed page', [move('c', null), rename('c', 'x')], ['/a a', 'a/b b', 'b/c c']],
    [
      'pages that are moved before those above them are deleted',
      [move('c', null), drop('a')],
      ['/a a', 'a/b b', 'b/c c'],
    ],
    ['pages that exchange slugs', [rename('a', 'x'), rename('d', 'a'), rename('a', 'd')], ['/a a', '/d d']],
    ['deleted pages: none', [drop('a')], []],
    [
      'new pages, titles and positions: none',
      [put('e'), { type: 'patch-page', id: 'd', fields: { title: 'D' }, index: 0 }],
      [],
    ],
  ])('are those of %s', async ([, mutations, expected]) => {
    expect(await slugsOf(...mutations)).toEqual(expected);
  });

  test('have the conditions that the pages had', async () => {
    const store = createMemoryStore();
    const before = await edit(store, [put('a', null, { condition: 'x' }), put('b', 'a', { condition: 'y' })]);
    const after = await edit(
      store,
      [move('b', null), { type: 'patch-page', id: 'b', fields: { condition: null } }],
      before,
    );
    expect(
      (await earlierSlugs(store, { before, after })).map(({ page, condition }) => [page, condition]),
    ).toEqual([
      ['a', 'x'],
      ['b', 'y'],
    ]);
  });

  test('are found with reads that do not grow with the space, also of a group with many pages', async () => {
    const store = createMemoryStore();
    const pages = Array.from({ length: 5000 }, (_, index) => put(`page-${index}`, 'group'));
    const before = await edit(store, [put('group'), ...pages]);
    const after = await edit(store, [rename('group', 'other')], before);
    const read = store.objectsRead;
    expect(await earlierSlugs(store, { before, after })).toHaveLength(1);
    expect(store.objectsRead - read).toBeLessThan(30);
    const edited = await edit(store, [{ type: 'patch-page', id: 'page-9', fields: { title: 'New' } }], after);
    const readAgain = store.objectsRead;
    expect(await earlierSlugs(store, { before: after, after: edited })).toEqual([]);
    expect(store.objectsRead - readAgain).toBe(2);
  });
});

/** The table of earlier slugs. */
function createTable() {
  const rows = new Map<string, EarlierSlug>();
  return {
    add(slugs: readonly EarlierSlug[]) {
      for (const one of slugs) {
        const key = JSON.stringify([one.parent, one.slug, one.page]);
        rows.delete(key);
        rows.set(key, one);
      }
    },
    readEarlier: async (parents: readonly (string | null)[], slug: string) =>
      [...rows.values()].reverse().filter((one) => one.slug === slug && parents.includes(one.parent)),
  };
}

const walk = (nodes: readonly PageNode[]): PageNode[] => nodes.flatMap((node) => [node, ...walk(node.pages)]);

async function pathsIn(store: MemoryStore, root: string): Promise<[path: string, id: string][]> {
  const nodes = walk(await (await openSnapshot(store, root)).pageTree());
  return nodes.map(({ page, path }) => [path, page.id]);
}

const STEP = fc.record({
  id: fc.constantFrom('p0', 'p1', 'p2', 'p3', 'p4'),
  parent: fc.option(fc.constantFrom('p0', 'p1', 'p2', 'p3', 'p4')),
  slug: fc.constantFrom('x', 'y', 'z'),
  kind: fc.constantFrom('put', 'put', 'rename', 'move', 'delete'),
});

function mutationOf({ id, parent, slug, kind }: typeof STEP extends fc.Arbitrary<infer Step> ? Step : never) {
  if (kind === 'put') return put(id, parent, { slug });
  if (kind === 'delete') return drop(id);
  return kind === 'rename' ? rename(id, slug) : move(id, parent);
}

test('every path that a page had leads to it until it is deleted, but first to the page that is there now', async () => {
  const changes = fc.array(fc.array(STEP, { minLength: 1, maxLength: 3 }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(changes, async (given) => {
      const store = createMemoryStore();
      const table = createTable();
      let had: [path: string, id: string][] = [];
      let root = await edit(store, []);
      for (const steps of given) {
        const before = root;
        // What is not possible is left out.
        for (const step of steps) root = await edit(store, [mutationOf(step)], root).catch(() => root);
        table.add(await earlierSlugs(store, { before, after: root }));
        const present = await pathsIn(store, root);
        const ids = new Set(present.map(([, id]) => id));
        had = [...had.filter(([, id]) => ids.has(id)), ...present];
      }
      const snapshot = await openSnapshot(store, root);
      const now = new Map(await pathsIn(store, root));
      for (const [path, id] of had) {
        const options = { ...table, isShown: () => true };
        const found = (await pagesAtEarlierPath(snapshot, path.split('/'), options)).map(({ page }) => page);
        expect(found, path).toContain(id);
        if (now.has(path)) expect(found[0], path).toBe(now.get(path));
      }
    }),
  );
});
