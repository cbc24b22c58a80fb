import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import type { ContentView } from '../../../routers/content/files.api.ts';
import { PageObject, presentPage } from '../../../routers/content/pages.api.ts';
import { mergeSnapshots } from '../../../routers/engine/merge/snapshots.ts';
import { depthsOf, MAX_PAGE_DEPTH } from '../../../routers/engine/store/depth.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { writePages } from '../../../routers/engine/store/page-index.ts';
import { EMPTY_ROOT } from '../../../routers/engine/store/records.ts';
import { openSnapshot, type PageNode } from '../../../routers/engine/store/snapshot.ts';
import { commit, createMemoryStore, type MemoryStore } from './memory-store.ts';
import { edit, expectConsistent, put } from './spaces.ts';

/** A chain of pages: `a1`, its child `a2`, and so on. */
const chain = (name: string, length: number, parent: string | null = null): Mutation[] =>
  Array.from({ length }, (_, index) => put(`${name}${index + 1}`, index === 0 ? parent : `${name}${index}`));
const move = (id: string, parent: string | null): Mutation => ({
  type: 'patch-page',
  id,
  fields: {},
  parent,
});
const TOO_DEEP = { reason: 'page-too-deep', code: 'invalid' };

async function deepest(store: MemoryStore, root: string): Promise<number> {
  const snapshot = await openSnapshot(store, root);
  const ids = (await snapshot.allPages()).map(({ id }) => id);
  return Math.max(...(await depthsOf(snapshot, ids)).values());
}

describe('the depth of pages in an edit', () => {
  test('an edit can put a page at the maximum depth, and no deeper', async () => {
    const store = createMemoryStore();
    const root = await edit(store, chain('a', MAX_PAGE_DEPTH));
    expect(await deepest(store, root)).toBe(32);
    await expect(edit(store, [put('b', 'a32')], root)).rejects.toMatchObject({ ...TOO_DEEP, page: 'b' });
  });

  test('an edit cannot move a page so that a descendant is too deep', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [...chain('a', 20), ...chain('b', 13)]);
    await expect(edit(store, [move('b1', 'a20')], root)).rejects.toMatchObject({ ...TOO_DEEP, page: 'b1' });
    expect(await deepest(store, await edit(store, [move('b1', 'a19')], root))).toBe(32);
  });

  test('the depth of pages is checked after all changes of an edit', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [...chain('a', 20), ...chain('b', 20)]);
    const moved = await edit(store, [move('b1', 'a20'), move('b12', null)], root);
    expect(await deepest(store, moved)).toBe(31);
    const twice = [move('b12', 'a20'), put('c', 'b20'), put('d', 'c'), move('b19', 'd')];
    await expect(edit(store, twice, root)).rejects.toThrow();
    const late = [move('b1', 'a12'), put('c', 'b20')];
    await expect(edit(store, late, root)).rejects.toMatchObject({ ...TOO_DEEP, page: 'c' });
  });

  test('an edit can change existing pages that are too deep, and move them up', async () => {
    const store = createMemoryStore();
    const root = await deepRoot(store, 50);
    const edited = await edit(store, [put('a50', 'a49', { title: 'Changed' }), move('a10', 'a5')], root);
    expect(await deepest(store, edited)).toBe(46);
    await expect(edit(store, [put('b', 'a40')], root)).rejects.toMatchObject(TOO_DEEP);
  });
});

/** A chain deeper than edits allow: such content may already exist. */
async function deepRoot(store: MemoryStore, length: number): Promise<string> {
  const time = '2026-01-01T00:00:00.000Z';
  const pages = Array.from({ length }, (_, index) => ({
    id: `a${index + 1}`,
    type: 'document' as const,
    title: `a${index + 1}`,
    slug: `a${index + 1}`,
    parent: index === 0 ? null : `a${index}`,
    position: 'V',
    createdAt: time,
    updatedAt: time,
  }));
  return commit(store, async (buffer) =>
    buffer.put(
      'root',
      await writePages(
        buffer,
        EMPTY_ROOT,
        pages.map((after) => ({ before: undefined, after })),
      ),
    ),
  );
}

test('pages 1,500 levels deep can be read', async () => {
  const store = createMemoryStore();
  const snapshot = await openSnapshot(store, await deepRoot(store, 1500));
  expect((await snapshot.withAncestors(['a1500'])).get('a1500')).toHaveLength(1500);
  expect((await snapshot.subtree('a1'))?.pages).toHaveLength(1);
  expect(await snapshot.pageTree()).toHaveLength(1);
});

describe('a merge of moves that together put pages too deep', () => {
  async function merge(base: Mutation[], ours: Mutation[], theirs: Mutation[]) {
    const store = createMemoryStore();
    const root = await edit(store, base);
    const [left, right] = [await edit(store, ours, root), await edit(store, theirs, root)];
    const mergeRoots = (a: string, b: string, resolutions?: Map<string, 'ours' | 'theirs'>) =>
      commit(store, (buffer) => mergeSnapshots(buffer, root, a, b, resolutions && { resolutions }));
    const forward = await mergeRoots(left, right);
    const backward = await mergeRoots(right, left);
    for (const merged of [forward, backward]) {
      await expectConsistent(store, merged.root);
      expect(await deepest(store, merged.root)).toBeLessThanOrEqual(32);
    }
    expect(forward.conflicts.map(({ id }) => id)).toEqual(backward.conflicts.map(({ id }) => id));
    const resolve = async (side: 'ours' | 'theirs') => {
      const resolved = await mergeRoots(left, right, new Map(forward.conflicts.map(({ id }) => [id, side])));
      expect(await deepest(store, resolved.root)).toBeLessThanOrEqual(32);
      return openSnapshot(store, resolved.root);
    };
    return { ...forward, snapshot: await openSnapshot(store, forward.root), resolve };
  }
  const parentsOf = async (snapshot: Awaited<ReturnType<typeof openSnapshot>>, ...ids: string[]) =>
    Promise.all(ids.map(async (id) => (await snapshot.page(id))?.parent));

  test('a merge of moves that together put pages too deep is a conflict, which either side resolves', async () => {
    const base = [...chain('a', 15), ...chain('b', 15), ...chain('c', 15)];
    const { conflicts, snapshot, resolve } = await merge(base, [move('b1', 'a15')], [move('c1', 'b15')]);
    expect(conflicts).toMatchObject([
      { kind: 'page-placement', page: 'b1', field: 'depth', related: ['b1', 'c1'] },
    ]);
    expect(await parentsOf(snapshot, 'b1', 'c1')).toEqual(['a15', null]);
    expect(await parentsOf(await resolve('theirs'), 'b1', 'c1')).toEqual([null, 'b15']);
  });

  test('a merge of moves that together put an added page too deep is a conflict, and the page is not lost', async () => {
    const base = [...chain('a', 16), ...chain('b', 16)];
    const { conflicts, snapshot } = await merge(base, [move('b1', 'a16')], [put('new', 'b16')]);
    expect(conflicts).toMatchObject([{ kind: 'page-placement', page: 'b1', field: 'depth' }]);
    expect(await parentsOf(snapshot, 'b1', 'new')).toEqual(['a16', null]);
  });

  test('a merge of moves is not a conflict if no page gets too deep', async () => {
    const base = [...chain('a', 10), ...chain('b', 10), ...chain('c', 10)];
    const { conflicts } = await merge(base, [move('b1', 'a10')], [move('c1', 'b10')]);
    expect(conflicts).toEqual([]);
  });
});

test('responses can contain pages 1,500 levels deep, the deepest as a flat list', async () => {
  const store = createMemoryStore();
  const [node] = await (await openSnapshot(store, await deepRoot(store, 1500))).pageTree();
  const view: ContentView = {
    urls: { app: () => '' } as unknown as ContentView['urls'],
    space: 'space',
    downloadURL: () => '',
    metadata: true,
    conditions: true,
  };
  const shown = PageObject.parse(presentPage(node as PageNode, view));
  expect(superjson.stringify(shown)).toContain('"a1500"');
  let count = 0;
  let depth = 0;
  for (let level = [shown]; level.length > 0; level = level.flatMap(({ pages = [] }) => pages)) {
    count += level.length;
    depth += 1;
  }
  expect([count, depth]).toEqual([1500, 41]);
});
