import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { ContentError } from '../../../routers/engine/store/errors.ts';
import { openSnapshot } from '../../../routers/engine/store/snapshot.ts';
import { createMemoryStore } from './memory-store.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from './runs.ts';
import { edit, emptyRoot, expectConsistent, outline, page, put } from './spaces.ts';

describe('editing pages', () => {
  test('a page is put at the end, or at an index among its siblings', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [
      put('a'),
      put('b'),
      put('c', 'a'),
      { type: 'put-page', page: page('d'), index: 1 },
      { type: 'put-page', page: page('e'), parent: 'a', index: 0 },
    ]);
    expect(await outline(store, root)).toBe('a(e c) d b');
    const moved = await edit(
      store,
      [{ type: 'patch-page', id: 'b', fields: {}, parent: 'a', index: 1 }],
      root,
    );
    expect(await outline(store, moved)).toBe('a(e b c) d');
    const reordered = await edit(store, [{ type: 'patch-page', id: 'e', fields: {}, index: 99 }], moved);
    expect(await outline(store, reordered)).toBe('a(b c e) d');
  });

  test('putting a page again replaces its fields without moving it', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [
      put('a', null, { description: 'old', slug: 'first' }),
      put('b', 'a'),
      put('c', 'a'),
    ]);
    const next = await edit(
      store,
      [
        { type: 'put-page', page: page('a', { title: 'New' }) },
        { type: 'put-page', page: page('b', { title: 'Newer' }) },
      ],
      root,
    );
    expect(await outline(store, next)).toBe('a(b c)');
    const a = await (await openSnapshot(store, next)).page('a');
    expect(a).toMatchObject({ title: 'New', slug: 'first' });
    expect(a).not.toHaveProperty('description');
  });

  test('a patch changes the given fields, removes those that are null and keeps the rest', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [put('a', null, { description: 'd', icon: 'i', hidden: true })]);
    const next = await edit(
      store,
      [{ type: 'patch-page', id: 'a', fields: { icon: null, title: 'T' } }],
      root,
    );
    const record = await (await openSnapshot(store, next)).page('a');
    expect(record).toMatchObject({ title: 'T', description: 'd', hidden: true, slug: 'a' });
    expect(record).not.toHaveProperty('icon');
  });

  test('deleting a page deletes its descendants, including those added in the same batch', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [put('a'), put('b', 'a'), put('c', 'b'), put('d')]);
    const next = await edit(store, [put('e', 'c'), { type: 'delete-page', id: 'a' }], root);
    expect(await outline(store, next)).toBe('d');
    await expectConsistent(store, next);
  });

  test('the numbers that make slugs unique start at 1, whatever the previous slug of a page', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [
      put('a', null, { slug: 'x' }),
      put('b', null, { slug: 'x-0' }),
      put('c', null, { slug: 'x' }),
      { type: 'delete-page', id: 'b' },
      put('d', null, { slug: 'x' }),
    ]);
    const paths = await (await openSnapshot(store, root)).paths(['c', 'd']);
    expect(Object.fromEntries(paths)).toEqual({ c: 'x-1', d: 'x-2' });
  });

  test('slugs are derived from titles, are unique among siblings and do not change with the title', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [
      put('a', null, { title: 'Crème brûlée + Co.' }),
      put('b', null, { title: 'Creme Brulee Co' }),
      put('c', 'a', { title: 'Creme Brulee Co' }),
      put('d', null, { title: '入門 ガイド' }),
      put('e', null, { title: '???' }),
      put('f', null, {
        type: 'link',
        title: 'Creme Brulee Co',
        target: { kind: 'url', url: 'https://example.org' },
      }),
    ]);
    const renamed = await edit(store, [{ type: 'patch-page', id: 'a', fields: { title: 'Dessert' } }], root);
    const snapshot = await openSnapshot(store, renamed);
    const paths = await snapshot.paths(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(Object.fromEntries(paths)).toEqual({
      a: 'creme-brulee-co',
      b: 'creme-brulee-co-1',
      c: 'creme-brulee-co/creme-brulee-co',
      d: '入門-ガイド',
      e: 'page',
      f: '',
    });
    expect((await snapshot.pageByPath(['creme-brulee-co', 'creme-brulee-co']))?.id).toBe('c');
    expect(await snapshot.pageByPath(['creme-brulee-co', 'nothing'])).toBeUndefined();
  });

  test('the landing page is the first document, even if it is in a group', async () => {
    const store = createMemoryStore();
    const root = await edit(store, [put('g', null, { type: 'group' }), put('a', 'g'), put('b')]);
    expect((await (await openSnapshot(store, root)).pageByPath([]))?.id).toBe('a');
  });

  test.each<[string, Mutation]>([
    ['page-cycle', { type: 'patch-page', id: 'a', fields: {}, parent: 'b' }],
    ['page-cycle', { type: 'patch-page', id: 'a', fields: {}, parent: 'a' }],
    ['parent-not-found', put('x', 'nowhere')],
    ['parent-cannot-hold-pages', put('x', 'link')],
    ['parent-cannot-hold-pages', put('a', null, { type: 'link' })],
    ['page-not-found', { type: 'patch-page', id: 'x', fields: {} }],
    ['page-not-found', { type: 'delete-page', id: 'x' }],
    ['file-not-found', { type: 'delete-file', id: 'x' }],
    ['reusable-content-not-found', { type: 'delete-reusable-content', id: 'x' }],
    ['invalid-id', put('a/b')],
    ['invalid-value', put('x', null, { title: '\ud800' })],
    ['invalid-value', put('x', null, { title: 'a\0b' })],
  ])('an invalid mutation is rejected with %s', async (reason, mutation) => {
    const store = createMemoryStore();
    const root = await edit(store, [put('a'), put('b', 'a'), put('link', null, { type: 'link' })]);
    const refused = await edit(store, [mutation], root).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ContentError);
    expect(refused).toMatchObject({ reason });
  });
});

test('files, reusable contents and variables are put, replaced and deleted', async () => {
  const store = createMemoryStore();
  const file = { id: 'f', name: 'logo.png', contentType: 'image/png', size: 3, sha256: 'abc' };
  const root = await edit(store, [
    { type: 'put-file', file },
    { type: 'put-reusable-content', reusableContent: { id: 'r', title: 'R', document: 'hash' } },
    { type: 'set-variables', variables: { version: '1', product: 'Colophon' } },
  ]);
  const next = await edit(
    store,
    [
      { type: 'put-file', file: { ...file, name: 'mark.png' } },
      { type: 'set-variables', variables: { version: '2', product: null } },
    ],
    root,
  );
  const snapshot = await openSnapshot(store, next);
  expect(await snapshot.files()).toEqual([{ ...file, name: 'mark.png' }]);
  expect(await snapshot.fileCount()).toBe(1);
  expect(await snapshot.reusableContents()).toEqual([{ id: 'r', title: 'R', document: 'hash' }]);
  expect(snapshot.variables).toEqual({ version: '2' });
  const emptied = await edit(
    store,
    [
      { type: 'delete-file', id: 'f' },
      { type: 'delete-reusable-content', id: 'r' },
      { type: 'set-variables', variables: { version: null } },
    ],
    next,
  );
  expect(emptied).toBe(await emptyRoot(store));
});

/** A step of a random history; pages are referred to by number, so that steps affect the same pages. */
const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'move', 'title', 'delete'),
  page: fc.integer({ min: 0, max: 30 }),
  parent: fc.option(fc.integer({ min: 0, max: 30 })),
  index: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  title: fc.constantFrom('Intro', 'intro', 'Setup', 'Intro 1'),
});

type Step = { kind: string; page: number; parent: number | null; index: number | undefined; title: string };

function toMutation({ kind, page: n, parent, index, title }: Step): Mutation {
  const id = `p${n}`;
  const above = parent === null ? null : `p${parent}`;
  if (kind === 'put') return { type: 'put-page', page: page(id, { title }), parent: above, index };
  if (kind === 'move') return { type: 'patch-page', id, fields: {}, parent: above, index };
  if (kind === 'title') return { type: 'patch-page', id, fields: { title } };
  return { type: 'delete-page', id };
}

test(
  'after any edits the maps of pages, tree and slugs are consistent, and one batch equals many',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const store = createMemoryStore();
        let root = await emptyRoot(store);
        const applied: Mutation[] = [];
        for (const one of steps) {
          const mutation = toMutation(one);
          try {
            root = await edit(store, [mutation], root);
            applied.push(mutation);
          } catch (error) {
            if (!(error instanceof ContentError)) throw error;
          }
        }
        await expectConsistent(store, root);
        expect(await edit(store, applied)).toBe(root);
      }),
      { numRuns: NUM_RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);
