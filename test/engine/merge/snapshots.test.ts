import { describe, expect, test } from 'vitest';
import type { Side } from '../../../routers/engine/merge/conflicts.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { openSnapshot } from '../../../routers/engine/store/snapshot.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { edit, expectConsistent, outline, page, put } from '../store/spaces.ts';
import { document, paragraph, paragraphTexts } from './documents.ts';
import { editBoth, mergeEdits, mergeRoots, move, patch, remove, saveDocument } from './edits.ts';

describe('merging pages', () => {
  test('changes of different fields of a page are all merged, also within layouts and variables', async () => {
    const { snapshot, conflicts } = await mergeEdits(
      [put('a', null, { layout: { title: true, outline: true }, variables: { x: '1' } })],
      [patch('a', { title: 'New', layout: { title: false, outline: true } })],
      [patch('a', { icon: 'star', layout: { title: true, outline: false }, variables: { x: '1', y: '2' } })],
    );
    expect(conflicts).toEqual([]);
    expect(await snapshot.page('a')).toMatchObject({
      title: 'New',
      icon: 'star',
      layout: { title: false, outline: false },
      variables: { x: '1', y: '2' },
    });
  });

  test('the tags of a page are merged as a whole', async () => {
    const tags = (...slugs: string[]) => ({ tags: slugs.map((tag) => ({ tag })) });
    const { snapshot, conflicts } = await mergeEdits(
      [put('a', null, { ...tags('one'), layout: { anchors: true } })],
      [patch('a', { ...tags('one', 'two'), layout: { anchors: false } })],
      [patch('a', { layout: { anchors: true, coverMask: 'radial' } })],
    );
    expect(conflicts).toEqual([]);
    expect(await snapshot.page('a')).toMatchObject({
      ...tags('one', 'two'),
      layout: { anchors: false, coverMask: 'radial' },
    });
    const apart = await mergeEdits(
      [put('a', null, tags())],
      [patch('a', tags('one'))],
      [patch('a', tags('two'))],
    );
    expect(apart.conflicts).toMatchObject([{ kind: 'page-field', page: 'a', field: 'tags' }]);
  });

  test('a field changed to different values is a conflict with all three values, and ours stays', async () => {
    const { snapshot, conflicts } = await mergeEdits(
      [put('a', null, { title: 'Base' })],
      [patch('a', { title: 'Ours' })],
      [patch('a', { title: 'Theirs' })],
    );
    expect(conflicts).toMatchObject([
      { kind: 'page-field', page: 'a', field: 'title', base: 'Base', ours: 'Ours', theirs: 'Theirs' },
    ]);
    expect((await snapshot.page('a'))?.title).toBe('Ours');
  });

  test('times and git origins never conflict', async () => {
    const at = (day: number, oid: string) => ({
      updatedAt: `2026-01-0${day}T00:00:00.000Z`,
      git: { oid, path: 'a.md' },
    });
    const { snapshot, conflicts } = await mergeEdits(
      [put('a', null, at(1, '1'))],
      [patch('a', { ...at(2, '2'), icon: 'x' })],
      [patch('a', at(3, '3'))],
    );
    expect(conflicts).toEqual([]);
    expect(await snapshot.page('a')).toMatchObject({ ...at(3, '2'), icon: 'x' });
  });

  test('a page moved by one side and edited by the other is moved and edited', async () => {
    const merged = await mergeEdits([put('a'), put('b')], [move('b', 'a')], [patch('b', { title: 'New' })]);
    expect(merged.conflicts).toEqual([]);
    expect(merged.outline).toBe('a(b)');
    expect((await merged.snapshot.page('b'))?.title).toBe('New');
  });

  test('parent and position are one field: different moves conflict, equal moves do not', async () => {
    const base = [put('a'), put('b'), put('c')];
    const apart = await mergeEdits(base, [move('c', 'a')], [move('c', 'b')]);
    expect(apart.conflicts).toMatchObject([{ kind: 'page-placement', page: 'c' }]);
    expect([apart.outline, apart.backward]).toEqual(['a(c) b', 'a b(c)']);
    expect((await mergeEdits(base, [move('c', 'a')], [move('c', 'a')])).conflicts).toEqual([]);
  });

  test('pages added by both sides at the same place are in the order of their ids, and pages can be inserted between them', async () => {
    const store = createMemoryStore();
    const merged = await mergeEdits(
      [put('a'), put('z')],
      [{ ...put('c'), index: 1 } as Mutation],
      [{ ...put('b'), index: 1 } as Mutation],
      store,
    );
    expect(merged.conflicts).toEqual([]);
    expect(merged.outline).toBe('a b c z');
    const next = await edit(store, [{ type: 'put-page', page: page('d'), index: 2 }], merged.root);
    expect(await outline(store, next)).toBe('a b d c z');
    await expectConsistent(store, next);
  });

  test('a slug that both sides gave to siblings gets a suffix, except for a page that had it before', async () => {
    const added = await mergeEdits(
      [],
      [put('b', null, { title: 'Intro' })],
      [put('a', null, { title: 'Intro' })],
    );
    expect(added.conflicts).toEqual([]);
    expect(Object.fromEntries(await added.snapshot.paths(['a', 'b']))).toEqual({ a: 'intro', b: 'intro-1' });
    const returned = await mergeEdits(
      [put('m', null, { title: 'Intro' }), put('n')],
      [patch('m', { slug: 'moved' }), patch('m', { slug: 'intro' }), patch('m', { title: 'Start' })],
      [put('a', 'n', { title: 'Intro' }), move('a', null)],
    );
    expect((await returned.snapshot.page('m'))?.slug).toBe('intro');
  });

  test('a page that one side moved and the other renamed does not change the slug of its new sibling', async () => {
    const { conflicts, snapshot } = await mergeEdits(
      [put('g', null, { type: 'group' }), put('a', 'g', { slug: 'setup' }), put('m')],
      [move('m', 'g')],
      [patch('m', { slug: 'setup' })],
    );
    expect(conflicts).toEqual([]);
    expect(Object.fromEntries(await snapshot.paths(['a', 'm']))).toEqual({ a: 'g/setup', m: 'g/setup-1' });
  });
});

test('a slug that got a suffix in a merge keeps it when the branch is merged again, and loses it when someone changes it', async () => {
  const store = createMemoryStore();
  const intro = (id: string) => [put(id, null, { title: 'Intro' })];
  const { root, roots } = await mergeEdits([], intro('a'), intro('b'), store);
  expect(await mergeRoots(store, roots.base, root, roots.theirs)).toEqual({ root, conflicts: [] });
  const renamed = await mergeEdits(
    [put('c', null, { slug: 'step-1' })],
    [patch('c', { slug: 'step' })],
    [put('d')],
  );
  expect((await renamed.snapshot.page('c'))?.slug).toBe('step');
});

describe('merging files, reusable contents and variables', () => {
  const file = { id: 'f', name: 'a.png', contentType: 'image/png', size: 1, sha256: 'x' };

  test('files are merged by id, their name separately from their content', async () => {
    const base: Mutation[] = [{ type: 'put-file', file }];
    const renamed: Mutation = { type: 'put-file', file: { ...file, name: 'b.png' } };
    const replaced: Mutation = { type: 'put-file', file: { ...file, size: 2, sha256: 'y' } };
    const clean = await mergeEdits(base, [renamed], [replaced]);
    expect(clean.conflicts).toEqual([]);
    expect(await clean.snapshot.file('f')).toEqual({ ...file, name: 'b.png', size: 2, sha256: 'y' });
    const other: Mutation = { type: 'put-file', file: { ...file, size: 3, sha256: 'z' } };
    expect((await mergeEdits(base, [replaced], [other])).conflicts).toMatchObject([
      { kind: 'file-field', file: 'f', field: 'content' },
    ]);
    expect((await mergeEdits(base, [{ type: 'delete-file', id: 'f' }], [other])).conflicts).toMatchObject([
      { kind: 'file-deleted', file: 'f' },
    ]);
  });

  test('variables are merged by name', async () => {
    const set = (variables: Record<string, string>): Mutation[] => [{ type: 'set-variables', variables }];
    const { snapshot, conflicts } = await mergeEdits(
      set({ a: '1', b: '1' }),
      set({ a: '2', b: '2' }),
      set({ c: '3', b: '3' }),
    );
    expect(conflicts).toMatchObject([{ kind: 'variable', variable: 'b', base: '1', ours: '2', theirs: '3' }]);
    expect(snapshot.variables).toEqual({ a: '2', b: '2', c: '3' });
  });

  test('variables may be named like properties of Object.prototype', async () => {
    const set = (variables: Record<string, string | null>): Mutation[] => [
      { type: 'set-variables', variables },
    ];
    const { conflicts, snapshot } = await mergeEdits(
      set({ constructor: '1', b: '1' }),
      set({ constructor: null }),
      set({ b: '2', toString: '3' } as unknown as Record<string, string>),
    );
    expect(conflicts).toEqual([]);
    expect(snapshot.variables).toEqual({ b: '2', toString: '3' });
  });

  test('documents of pages and reusable contents that both sides changed are merged by block', async () => {
    const store = createMemoryStore();
    const save = (first: string, second: string) =>
      saveDocument(store, document(paragraph('a', first), paragraph('b', second)));
    const content = (hash: string): Mutation[] => [
      put('p', null, { document: hash }),
      { type: 'put-reusable-content', reusableContent: { id: 'r', title: 'R', document: hash } },
    ];
    const [base, ours, theirs] = [await save('1', '2'), await save('one', '2'), await save('1', 'two')];
    const { snapshot, conflicts } = await mergeEdits(content(base), content(ours), content(theirs), store);
    expect(conflicts).toEqual([]);
    const inPage = await snapshot.document((await snapshot.page('p'))?.document as string);
    const inContent = await snapshot.document((await snapshot.reusableContent('r'))?.document as string);
    expect(paragraphTexts(inPage)).toEqual(['one', 'two']);
    expect(inContent).toEqual(inPage);
  });
});

test('resolving all conflicts with theirs takes the other side of each, and leaves no conflict', async () => {
  const store = createMemoryStore();
  const base = [put('a'), put('b', 'a'), put('c'), put('d')];
  const roots = await editBoth(
    store,
    base,
    [patch('c', { title: 'Ours' }), remove('a')],
    [patch('c', { title: 'Theirs' }), put('x', 'b'), patch('d', { icon: 'i' })],
  );
  const { conflicts } = await mergeRoots(store, roots.base, roots.ours, roots.theirs);
  let resolutions = new Map<string, Side>();
  let left = conflicts;
  let root = '';
  for (let round = 0; left.length > 0 && round < 5; round++) {
    resolutions = new Map([...resolutions, ...left.map(({ id }) => [id, 'theirs'] as const)]);
    ({ conflicts: left, root } = await mergeRoots(store, roots.base, roots.ours, roots.theirs, resolutions));
  }
  expect(left).toEqual([]);
  expect(await outline(store, root)).toBe(await outline(store, roots.theirs));
  expect((await (await openSnapshot(store, root)).page('c'))?.title).toBe('Theirs');
});

test('merging ten pages reads a few batches, and no more of a large space than of a small one', async () => {
  const cost = async (size: number) => {
    const store = createMemoryStore();
    const id = (n: number) => `page${n}`;
    const base = Array.from({ length: size }, (_, n) => put(id(n), n < 50 ? null : id(n % 50)));
    const change = (fields: Parameters<typeof patch>[1]) =>
      Array.from({ length: 10 }, (_, n) => patch(id(Math.floor((n * size) / 10)), fields));
    const roots = await editBoth(store, base, change({ icon: 'star' }), change({ description: 'New' }));
    store.reads = 0;
    store.objectsRead = 0;
    expect((await mergeRoots(store, roots.base, roots.ours, roots.theirs)).conflicts).toEqual([]);
    return store;
  };
  const [small, large] = [await cost(500), await cost(5_000)];
  expect(large.reads).toBeLessThanOrEqual(30);
  expect(large.objectsRead).toBeLessThanOrEqual(2 * small.objectsRead);
});
