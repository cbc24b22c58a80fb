/** Properties of the merge of any two histories. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeSnapshots } from '../../../routers/engine/merge/snapshots.ts';
import { type Json, type JsonObject, sameJson } from '../../../routers/engine/store/canonical.ts';
import { putDocument } from '../../../routers/engine/store/documents.ts';
import type { Mutation } from '../../../routers/engine/store/edit.ts';
import { ContentError } from '../../../routers/engine/store/errors.ts';
import { scan } from '../../../routers/engine/store/ordered-map.ts';
import { readRoot } from '../../../routers/engine/store/records.ts';
import { commit, createMemoryStore, type MemoryStore } from '../store/memory-store.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from '../store/runs.ts';
import { edit, emptyRoot, expectConsistent, page } from '../store/spaces.ts';
import { document, paragraph } from './documents.ts';

/** A change on one side. Numbers are small, so that the sides conflict; `own` creates pages that only one side has. */
const step = fc.record({
  kind: fc.constantFrom(
    'title',
    'icon',
    'slug',
    'text',
    'text',
    'blocks',
    'move',
    'delete',
    'create',
    'file',
    'variable',
  ),
  page: fc.integer({ min: 0, max: 7 }),
  target: fc.option(fc.integer({ min: 0, max: 7 })),
  index: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  value: fc.integer({ min: 0, max: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const history = fc.array(step, { maxLength: 6 });

/** The text of a page: the number that replaces the second word of each block, by key. */
type Blocks = { key: string; word: number }[];

/** A side of a merge: its root, and the blocks of its pages. */
type SideState = { name: string; root: string; blocks: Map<number, Blocks> };

const savedDocument = (store: MemoryStore, blocks: Blocks): Promise<string> => {
  const nodes = blocks.map(({ key, word }) =>
    paragraph(key, `block ${key} says ${word === 0 ? 'nothing' : `w${word}`} yet`),
  );
  return commit(store, (buffer) => putDocument(buffer, document(...nodes)));
};

async function toMutation(
  store: MemoryStore,
  side: SideState,
  { kind, page: n, target, index, value }: Step,
): Promise<Mutation> {
  const id = `p${n}`;
  const blocks = side.blocks.get(n) ?? [];
  switch (kind) {
    case 'text':
      side.blocks.set(
        n,
        blocks.map((block, at) => (at === value ? { ...block, word: value + n + side.name.length } : block)),
      );
      break;
    case 'blocks':
      side.blocks.set(
        n,
        index === 0
          ? blocks.filter((_, at) => at !== value)
          : blocks.toSpliced(value, 0, { key: `${side.name}${n}${value}`, word: 0 }),
      );
      break;
    case 'title':
      return { type: 'patch-page', id, fields: { title: `Title ${value}`, slug: null } };
    case 'icon':
      return { type: 'patch-page', id, fields: { icon: value === 0 ? null : `icon${value}` } };
    case 'slug':
      return { type: 'patch-page', id, fields: { slug: `p${value}` } };
    case 'move':
      return { type: 'patch-page', id, fields: {}, parent: target === null ? null : `p${target}`, index };
    case 'delete':
      return { type: 'delete-page', id };
    case 'create':
      return {
        type: 'put-page',
        page: page(`${side.name}${n}`, { title: 'New' }),
        parent: target === null ? null : `p${target}`,
        index,
      };
    case 'file': {
      const file = { id: `f${value}`, name: `${n}`, contentType: 'text/plain', size: n, sha256: `${n}` };
      return index === 0 ? { type: 'delete-file', id: file.id } : { type: 'put-file', file };
    }
    default:
      return { type: 'set-variables', variables: { [`v${value}`]: n === 0 ? null : n } };
  }
  const fields = { document: await savedDocument(store, side.blocks.get(n) as Blocks) };
  return { type: 'patch-page', id, fields };
}

async function applySteps(store: MemoryStore, side: SideState, steps: readonly Step[]): Promise<string> {
  for (const one of steps) {
    const mutation = await toMutation(store, side, one);
    try {
      side.root = await edit(store, [mutation], side.root);
    } catch (error) {
      // The step is invalid in this history, such as a change of a deleted page.
      if (!(error instanceof ContentError)) throw error;
    }
  }
  return side.root;
}

/** Eight pages of four blocks, three of them nested, with files and variables. */
async function openBase(store: MemoryStore): Promise<SideState> {
  const blocks = new Map(
    Array.from({ length: 8 }, (_, n) => [
      n,
      Array.from({ length: 4 }, (_, b) => ({ key: `k${b}`, word: 0 })),
    ]),
  );
  const mutations: Mutation[] = [{ type: 'set-variables', variables: { v0: 'a', v1: 'b' } }];
  for (const [n, own] of blocks) {
    const fields = { title: `Page ${n}`, document: await savedDocument(store, own) };
    mutations.push({ type: 'put-page', page: page(`p${n}`, fields), parent: n < 4 ? null : `p${n - 4}` });
  }
  mutations.push({
    type: 'put-file',
    file: { id: 'f0', name: 'f', contentType: 'text/plain', size: 1, sha256: 'f' },
  });
  return { name: 'base', root: await edit(store, mutations, await emptyRoot(store)), blocks };
}

const merge = (store: MemoryStore, base: string, ours: string, theirs: string) =>
  commit(store, (buffer) => mergeSnapshots(buffer, base, ours, theirs));

/** All records of a root by kind and id, and their fields that are merged separately. */
async function fieldsOf(store: MemoryStore, hash: string): Promise<Map<string, Json>> {
  const root = await readRoot(store, hash);
  const fields = new Map<string, Json>();
  for (const map of ['pages', 'files'] as const) {
    for (const [id, record] of await scan(store, root[map])) {
      const { parent, position, ...rest } = record as JsonObject;
      fields.set(`${map}/${id}/placement`, [parent ?? null, position ?? null]);
      for (const [field, value] of Object.entries(rest)) fields.set(`${map}/${id}/${field}`, value as Json);
    }
  }
  for (const [name, value] of Object.entries(root.variables)) fields.set(`variables/${name}`, value as Json);
  return fields;
}

/** The text of every block by page and block key. */
async function blocksOf(store: MemoryStore, hash: string): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const [field, value] of await fieldsOf(store, hash)) {
    if (!field.endsWith('/document')) continue;
    const body = (await store.read([value as string])).get(value as string)?.body as JsonObject;
    for (const node of body.nodes as JsonObject[])
      blocks.set(`${field}/${node.key}`, JSON.stringify(node.nodes));
  }
  return blocks;
}

/** Asserts that every change that only one side made is in the merge. */
function expectOneSidedChanges<T extends Json | string>(
  base: Map<string, T>,
  side: Map<string, T>,
  other: Map<string, T>,
  merged: Map<string, T>,
) {
  for (const key of new Set([...base.keys(), ...side.keys()])) {
    const isChange = !sameJson(base.get(key), side.get(key));
    const isOneSided = sameJson(base.get(key), other.get(key));
    // Slugs may get suffixes, and documents are compared block by block.
    if (!isChange || !isOneSided || /\/(slug|document)$/.test(key)) continue;
    expect([key, merged.get(key)]).toEqual([key, side.get(key)]);
  }
}

test(
  'a merge results in a valid tree, is deterministic, and is clean regardless of which side is ours',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, history, async (left, right) => {
        const store = createMemoryStore();
        const base = await openBase(store);
        const ours = await applySteps(store, { ...base, name: 'a', blocks: new Map(base.blocks) }, left);
        const theirs = await applySteps(store, { ...base, name: 'b', blocks: new Map(base.blocks) }, right);
        const forward = await merge(store, base.root, ours, theirs);
        const backward = await merge(store, base.root, theirs, ours);
        await expectConsistent(store, forward.root);
        expect(forward.conflicts.length === 0).toBe(backward.conflicts.length === 0);
        expect(await merge(store, base.root, ours, theirs)).toEqual(forward);
        expect(new Set(forward.conflicts.map(({ id }) => id)).size).toBe(forward.conflicts.length);
        if (forward.conflicts.length > 0) return;

        expect(backward.root).toBe(forward.root);
        const [b, o, t, m] = await Promise.all(
          [base.root, ours, theirs, forward.root].map((root) => fieldsOf(store, root)),
        );
        expectOneSidedChanges(b as never, o as never, t as never, m as never);
        expectOneSidedChanges(b as never, t as never, o as never, m as never);
        const [bb, ob, tb, mb] = await Promise.all(
          [base.root, ours, theirs, forward.root].map((root) => blocksOf(store, root)),
        );
        expectOneSidedChanges(bb as never, ob as never, tb as never, mb as never);
        expectOneSidedChanges(bb as never, tb as never, ob as never, mb as never);

        // Merging the same branch again changes nothing, with the common base or the branch merged last as the base.
        expect(await merge(store, base.root, forward.root, theirs)).toEqual(forward);
        expect(await merge(store, theirs, forward.root, theirs)).toEqual(forward);
        expect(await merge(store, ours, forward.root, ours)).toEqual(forward);
      }),
      { numRuns: NUM_RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);
