import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyBatch } from '../../../routers/engine/edit/apply-batch.ts';
import { type Batch, countInsertions } from '../../../routers/engine/edit/batch.ts';
import type { EditChange } from '../../../routers/engine/edit/changes.ts';
import { DomainError } from '../../../routers/engine/errors.ts';
import { createObjectBuffer } from '../../../routers/engine/store/objects.ts';
import { openSnapshot, type PageNode } from '../../../routers/engine/store/snapshot.ts';
import { newId } from '../../../schema/ids.ts';
import { commit, createMemoryStore, type MemoryStore } from '../store/memory-store.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from '../store/runs.ts';
import { edit, emptyRoot, put } from '../store/spaces.ts';

const revert = (page: string, revision: string): EditChange => ({
  operation: 'revert_page',
  page,
  revision,
});

const NONE: Omit<Batch, 'changes' | 'ids' | 'now'> = {
  files: new Map(),
  reverts: new Map(),
  resolutions: new Map(),
};

const apply = (
  store: MemoryStore,
  root: string,
  changes: readonly EditChange[],
  batch: Partial<Batch> = {},
) =>
  commit(store, async (buffer) => {
    const now = '2026-02-02T00:00:00.000Z';
    const ids = Array.from({ length: countInsertions(changes) }, newId);
    return (await applyBatch(buffer, root, { ...NONE, ...batch, changes, ids, now })).root;
  });

/** The pages as readers see them, without ids, which differ between runs for new pages. */
async function outline(store: MemoryStore, root: string): Promise<unknown> {
  const show = ({ page, pages }: PageNode): unknown => ({
    title: page.title,
    slug: page.slug,
    description: page.description,
    document: page.document,
    pages: pages.map(show),
  });
  return (await (await openSnapshot(store, root)).pageTree()).map(show);
}

const IDS = ['a', 'b', 'c', 'd', 'e'];
const base = (store: MemoryStore) =>
  edit(store, [put('a'), put('b', 'a'), put('c', 'b'), put('d'), put('e')]);

const id = fc.constantFrom(...IDS, 'gone');
const at = fc.option(fc.nat(3), { nil: undefined });
const into = fc.option(fc.option(id, { nil: null }), { nil: undefined });
const title = fc.constantFrom('a', 'Other', 'Third');
const document = fc.option(
  fc.constantFrom({ markdown: 'Text.\n' }, { markdown: 'Text.\n\nMore.\n' }, { markdown: '[x](/pages/a)\n' }),
  { nil: undefined },
);
const change: fc.Arbitrary<EditChange> = fc.oneof(
  fc.record({
    operation: fc.constant('insert_page' as const),
    type: fc.constant('document' as const),
    title,
    document,
    into,
    at,
  }),
  fc.record({
    operation: fc.constant('update_page' as const),
    page: id,
    title: fc.option(title, { nil: undefined }),
    description: fc.option(fc.option(fc.constant('Words'), { nil: null }), { nil: undefined }),
    document,
    into,
    at,
  }),
  fc.record({ operation: fc.constant('delete_page' as const), page: id }),
);
const changes = fc.array(change, { minLength: 1, maxLength: 8 });

/** Applies each change as a separate edit; returns the index of the first that fails, if any. */
async function oneByOne(store: MemoryStore, root: string, list: readonly EditChange[]) {
  let current = root;
  for (const [index, one] of list.entries()) {
    try {
      current = await apply(store, current, [one]);
    } catch (error) {
      if (isAlreadyThere(error)) continue;
      if (error instanceof DomainError) return { failing: index };
      throw error;
    }
  }
  return { root: current };
}

/** Whether an edit only moves pages to where they are, which is an error unless it changes something else. */
const isAlreadyThere = (error: unknown): boolean =>
  error instanceof DomainError && error.message.includes('already in this position');

describe('a batch of changes', () => {
  test(
    'a batch has the same result as its changes one by one, or names the first change that fails',
    { timeout: PROPERTY_TIMEOUT },
    () =>
      fc.assert(
        fc.asyncProperty(changes, async (list) => {
          const store = createMemoryStore();
          const root = await base(store);
          const expected = await oneByOne(store, root, list);
          if (expected.root !== undefined) {
            const together = await apply(store, root, list).catch((error: unknown) => {
              if (expected.root === root && isAlreadyThere(error)) return root;
              throw error;
            });
            expect(await outline(store, together)).toEqual(await outline(store, expected.root));
            return;
          }
          const error = await apply(store, root, list).catch((thrown: unknown) => thrown);
          expect(error).toBeInstanceOf(DomainError);
          const [detail] = (error as DomainError).details ?? [];
          expect(detail?.path).toMatch(new RegExp(`^changes\\.${expected.failing}\\.`));
        }),
        { numRuns: NUM_RUNS },
      ),
  );

  test(
    'a batch is undone by reverting the pages that it touched, one by one in any order',
    { timeout: PROPERTY_TIMEOUT },
    () =>
      fc.assert(
        fc.asyncProperty(changes, fc.shuffledSubarray(IDS, { minLength: 5 }), async (list, order) => {
          const store = createMemoryStore();
          const root = await base(store);
          const then = await openSnapshot(store, root);
          const onlyOld = list.filter(({ operation }) => operation !== 'insert_page');
          const edited = await oneByOne(store, root, onlyOld);
          let current = edited.root ?? root;
          // Twice, because a page goes to the top level if its former parent has not been restored yet.
          for (const page of [...order, ...order]) {
            const reverts = new Map([[0, then]]);
            current = await apply(store, current, [{ operation: 'revert_page', page }], { reverts });
          }
          const fields = async (of: string) =>
            [...(await (await openSnapshot(store, of)).pages(IDS))].map(
              ([, { position: _, slug, ...page }]) => page,
            );
          expect(await fields(current)).toEqual(await fields(root));
        }),
        { numRuns: NUM_RUNS },
      ),
  );

  test('a reverted page goes to the top level if its former parent is now below it', async () => {
    const store = createMemoryStore();
    const root = await base(store);
    const then = await openSnapshot(store, root);
    const turned = await apply(store, root, [
      { operation: 'update_page', page: 'b', into: null },
      { operation: 'update_page', page: 'a', into: 'c' },
    ]);
    const reverts = new Map([[0, then]]);
    const halfway = await apply(store, turned, [{ operation: 'revert_page', page: 'b' }], { reverts });
    expect(await outline(store, halfway)).toMatchObject([
      { title: 'd' },
      { title: 'e' },
      { title: 'b', pages: [{ title: 'c', pages: [{ title: 'a', pages: [] }] }] },
    ]);
    const back = await apply(store, halfway, [{ operation: 'revert_page', page: 'a' }], { reverts });
    const done = await apply(store, back, [{ operation: 'revert_page', page: 'b' }], { reverts });
    expect(await outline(store, done)).toEqual(await outline(store, root));
  });

  test('a batch reads and writes only a few objects of a large space', async () => {
    const store = createMemoryStore();
    const titles = Array.from({ length: 3000 }, (_, index) => `page-${index}`);
    const root = await edit(
      store,
      titles.map((title, index) => put(title, index < 100 ? null : `page-${index % 100}`)),
    );
    const [reads, objectsRead, objects] = [store.reads, store.objectsRead, store.objects.size];
    await apply(store, root, [
      {
        operation: 'update_page',
        page: 'page-2000',
        document: { markdown: '[x](/page-1) [y](page-1100)\n' },
      },
    ]);
    expect(store.reads - reads).toBeLessThan(25);
    expect(store.objectsRead - objectsRead).toBeLessThan(80);
    expect(store.objects.size - objects).toBeLessThan(10);
  });
});

test('pages can be added to an empty space', async () => {
  const store = createMemoryStore();
  const root = await apply(store, await emptyRoot(store), [
    { operation: 'insert_page', type: 'group', title: 'Start', ref: 'start' },
    { operation: 'insert_page', type: 'document', title: 'Guide', into: 'start' },
  ]);
  expect(await outline(store, root)).toMatchObject([{ slug: 'start', pages: [{ slug: 'guide' }] }]);
});

test('if a batch reverts a page twice, the second revert determines its placement', async () => {
  const store = createMemoryStore();
  const first = await edit(store, [put('a'), put('b')]);
  const second = await edit(store, [{ type: 'patch-page', id: 'b', fields: {}, parent: 'a' }], first);
  const buffer = createObjectBuffer(store);
  const [before, after] = await Promise.all([openSnapshot(buffer, first), openSnapshot(buffer, second)]);
  const reverts = new Map([
    [0, before],
    [1, after],
  ]);
  const changes = [revert('b', 'first'), revert('b', 'second')];
  const reverted = await apply(store, second, changes, { reverts });
  expect(await outline(store, reverted)).toEqual(await outline(store, second));
});
