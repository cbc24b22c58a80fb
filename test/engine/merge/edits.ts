import { expect } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import type { Side } from '../../../routers/engine/merge/conflicts.ts';
import { mergeSnapshots } from '../../../routers/engine/merge/snapshots.ts';
import { putDocument } from '../../../routers/engine/store/documents.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { openSnapshot } from '../../../routers/engine/store/snapshot.ts';
import { commit, createMemoryStore, type MemoryStore } from '../store/memory-store.ts';
import { edit, expectConsistent, outline } from '../store/spaces.ts';

export const patch = (id: string, fields: Extract<Mutation, { type: 'patch-page' }>['fields']): Mutation => ({
  type: 'patch-page',
  id,
  fields,
});
export const move = (id: string, parent: string | null, index?: number): Mutation => ({
  type: 'patch-page',
  id,
  fields: {},
  parent,
  ...(index === undefined ? {} : { index }),
});
export const remove = (id: string): Mutation => ({ type: 'delete-page', id });

/** Edits a base on two sides, merges them in both directions, and checks that the result is a valid tree. */
export async function mergeEdits(
  base: Mutation[],
  ours: Mutation[],
  theirs: Mutation[],
  store = createMemoryStore(),
) {
  const roots = await editBoth(store, base, ours, theirs);
  const forward = await mergeRoots(store, roots.base, roots.ours, roots.theirs);
  const backward = await mergeRoots(store, roots.base, roots.theirs, roots.ours);
  await expectConsistent(store, forward.root);
  await expectConsistent(store, backward.root);
  expect(forward.conflicts.map(({ id }) => id)).toEqual(backward.conflicts.map(({ id }) => id));
  if (forward.conflicts.length === 0) expect(forward.root).toBe(backward.root);
  return {
    ...forward,
    roots,
    outline: await outline(store, forward.root),
    backward: await outline(store, backward.root),
    snapshot: await openSnapshot(store, forward.root),
  };
}

export async function editBoth(store: MemoryStore, base: Mutation[], ours: Mutation[], theirs: Mutation[]) {
  const root = await edit(store, base);
  return { base: root, ours: await edit(store, ours, root), theirs: await edit(store, theirs, root) };
}

export const mergeRoots = (
  store: MemoryStore,
  base: string,
  ours: string,
  theirs: string,
  resolutions?: Map<string, Side>,
) =>
  commit(store, (buffer) => mergeSnapshots(buffer, base, ours, theirs, resolutions ? { resolutions } : {}));

export const saveDocument = (store: MemoryStore, content: Document): Promise<string> =>
  commit(store, (buffer) => putDocument(buffer, content));
