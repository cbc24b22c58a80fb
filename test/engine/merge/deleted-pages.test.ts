import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { expectConsistent, outline, put } from '../store/spaces.ts';
import { mergeEdits, mergeRoots, move, patch, remove } from './edits.ts';

describe('merging deleted pages', () => {
  test.each<[string, Mutation]>([
    ['edited', patch('b', { title: 'New' })],
    ['moved', move('b', null, 0)],
    ['given a new page below it', put('x', 'b')],
    ['given an old page below it', move('d', 'b')],
  ])('a page deleted by one side and %s by the other is a conflict, and ours stays', async (_, change) => {
    const base = [put('a'), put('b', 'a'), put('c', 'b'), put('d')];
    const store = createMemoryStore();
    const merged = await mergeEdits(base, [remove('b')], [change], store);
    expect(merged.conflicts).toMatchObject([{ kind: 'page-deleted', page: 'b', ours: null }]);
    expect(merged.outline).toBe(await outline(store, merged.roots.ours));
  });

  test('if we edited a page that the other side deleted with its parent, the parent is kept as well', async () => {
    const base = [put('a'), put('b', 'a'), put('c', 'b')];
    const edited = patch('c', { title: 'New' });
    const { conflicts, outline: forward, backward } = await mergeEdits(base, [edited], [remove('a')]);
    expect(conflicts).toMatchObject([{ kind: 'page-deleted', page: 'c', theirs: null }]);
    expect([forward, backward]).toEqual(['a(b(c))', '']);
  });

  test('a page that a conflict keeps is kept with the pages that were deleted with it, except those with their own conflict', async () => {
    const base = [
      put('a'),
      put('b', 'a'),
      put('c', 'b'),
      put('d', 'b'),
      put('e', 'd'),
      put('f', 'd'),
      put('g', 'a'),
    ];
    const edits = [patch('b', { title: 'New' }), patch('d', { title: 'New' })];
    const store = createMemoryStore();
    const merged = await mergeEdits(base, [remove('b')], edits, store);
    expect(merged.conflicts).toMatchObject([
      { kind: 'page-deleted', page: 'b' },
      { kind: 'page-deleted', page: 'd' },
    ]);
    expect([merged.outline, merged.backward]).toEqual(['a(g)', 'a(b(c d(e f)) g)']);

    const { roots, conflicts } = merged;
    const resolved = async (...pages: string[]) => {
      const taken = conflicts.filter(({ page = '' }) => pages.includes(page));
      const resolutions = new Map(taken.map(({ id }) => [id, 'theirs'] as const));
      const { root } = await mergeRoots(store, roots.base, roots.ours, roots.theirs, resolutions);
      await expectConsistent(store, root);
      return outline(store, root);
    };
    expect(await resolved('b')).toBe('a(b(c) g)');
    // Its parent comes back with it, but nothing else below the parent.
    expect(await resolved('d')).toBe('a(b(d(e f)) g)');
    expect(await resolved('b', 'd')).toBe('a(b(c d(e f)) g)');
  });

  test('a parent that is kept for pages moved below it is kept with those that were deleted with it', async () => {
    const base = [put('a'), put('b', 'a'), put('c', 'b'), put('d')];
    const { backward } = await mergeEdits(base, [remove('a')], [move('d', 'a')]);
    expect(backward).toBe('a(b(c) d)');
  });

  test('a page is deleted if both sides deleted it, or if the other side changed only its time', async () => {
    const base = [put('a'), put('b')];
    expect((await mergeEdits(base, [remove('b')], [remove('b')])).outline).toBe('a');
    const touched = patch('b', { updatedAt: '2026-02-02T00:00:00.000Z' });
    const { conflicts, outline: result } = await mergeEdits(base, [remove('b')], [touched]);
    expect([conflicts, result]).toEqual([[], 'a']);
  });

  test('pages moved below one another are a conflict that names the cycle', async () => {
    const base = [put('a'), put('b'), put('c')];
    const merged = await mergeEdits(base, [move('b', 'a')], [move('c', 'b'), move('a', 'c')]);
    expect(merged.conflicts).toMatchObject([{ kind: 'page-placement', related: ['a', 'b', 'c'] }]);
    expect([merged.outline, merged.backward]).toEqual(['a(b) c', 'b(c(a))']);
  });
});
