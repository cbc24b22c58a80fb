import { describe, expect, test } from 'vitest';
import { diffSnapshots } from '../../../routers/engine/store/diff.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { createMemoryStore } from './memory-store.ts';
import { edit, put } from './spaces.ts';

const FILE = { id: 'f', name: 'a.png', contentType: 'image/png', size: 1, sha256: 'x' };

async function changesOf(mutations: readonly Mutation[]) {
  const store = createMemoryStore();
  const before = await edit(store, [
    put('a', null, { description: 'old' }),
    put('b', 'a'),
    put('c'),
    { type: 'put-file', file: FILE },
    { type: 'put-reusable-content', reusableContent: { id: 'r', title: 'R', document: 'd1' } },
    { type: 'set-variables', variables: { one: '1', two: '2' } },
  ]);
  return diffSnapshots(store, before, await edit(store, mutations, before));
}

describe('changes between two revisions', () => {
  test('created, deleted, edited and moved pages are distinguished', async () => {
    expect(await changesOf([put('d')])).toMatchObject([{ type: 'page_created', page: { id: 'd' } }]);
    expect(await changesOf([{ type: 'delete-page', id: 'a' }])).toMatchObject([
      { type: 'page_deleted', page: { id: 'a' } },
      { type: 'page_deleted', page: { id: 'b' } },
    ]);
    expect(await changesOf([{ type: 'patch-page', id: 'b', fields: {}, parent: null }])).toMatchObject([
      { type: 'page_moved', page: { id: 'b' }, parent: { before: 'a', after: null } },
    ]);
    expect(await changesOf([{ type: 'patch-page', id: 'c', fields: {}, index: 0 }])).toMatchObject([
      { type: 'page_moved', page: { id: 'c' }, parent: { before: null, after: null } },
    ]);
  });

  test('the change of an edited page contains the fields with their values before and after, documents by hash', async () => {
    const fields = { description: null, icon: 'star', document: 'd2', updatedAt: '2026-02-02T00:00:00.000Z' };
    expect(await changesOf([{ type: 'patch-page', id: 'a', fields }])).toEqual([
      {
        type: 'page_edited',
        page: expect.objectContaining({ id: 'a' }),
        attributes: {
          description: { before: 'old', after: undefined },
          document: { before: undefined, after: 'd2' },
          icon: { before: undefined, after: 'star' },
        },
      },
    ]);
  });

  test('a new time or git origin alone is not a change', async () => {
    const fields = { updatedAt: '2026-02-02T00:00:00.000Z', git: { oid: '1', path: 'a.md' } };
    expect(await changesOf([{ type: 'patch-page', id: 'a', fields }])).toEqual([]);
  });

  test('files, reusable contents and variables are compared field by field', async () => {
    const changes = await changesOf([
      { type: 'put-file', file: { ...FILE, name: 'b.png' } },
      { type: 'put-file', file: { ...FILE, id: 'g' } },
      { type: 'put-reusable-content', reusableContent: { id: 'r', title: 'R', document: 'd2' } },
      { type: 'set-variables', variables: { one: null, two: '3', three: '4' } },
    ]);
    expect(changes).toEqual([
      {
        type: 'file_edited',
        file: { ...FILE, name: 'b.png' },
        attributes: { name: { before: 'a.png', after: 'b.png' } },
      },
      { type: 'file_created', file: { ...FILE, id: 'g' } },
      {
        type: 'reusable_content_edited',
        reusableContent: { id: 'r', title: 'R', document: 'd2' },
        attributes: { document: { before: 'd1', after: 'd2' } },
      },
      {
        type: 'variables_edited',
        variables: {
          one: { before: '1', after: undefined },
          three: { before: undefined, after: '4' },
          two: { before: '2', after: '3' },
        },
      },
    ]);
    expect(await changesOf([{ type: 'set-variables', variables: { constructor: '1' } }])).toEqual([
      { type: 'variables_edited', variables: { constructor: { before: undefined, after: '1' } } },
    ]);
    expect(
      await changesOf([
        { type: 'delete-file', id: 'f' },
        { type: 'delete-reusable-content', id: 'r' },
      ]),
    ).toMatchObject([{ type: 'file_deleted' }, { type: 'reusable_content_deleted' }]);
  });

  test('the number of reads depends on the change, not on the size of the space', async () => {
    const readsIn = async (size: number) => {
      const store = createMemoryStore();
      const before = await edit(
        store,
        Array.from({ length: size }, (_, n) => put(`page${n}`, n < 50 ? null : `page${n % 50}`)),
      );
      const after = await edit(store, [{ type: 'patch-page', id: 'page77', fields: { title: 'T' } }], before);
      store.objectsRead = 0;
      expect(await diffSnapshots(store, before, after)).toHaveLength(1);
      return store.objectsRead;
    };
    expect(await readsIn(10_000)).toBeLessThanOrEqual((await readsIn(1_000)) + 8);
  });
});
