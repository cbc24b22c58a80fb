import { expect, test } from 'vitest';
import { planMutations } from '../../routers/engine/import/mutations.ts';
import type { PlannedPage } from '../../routers/engine/import/plan.ts';
import { NO_PREVIOUS_IMPORT } from '../../routers/engine/import/previous-import.ts';
import { matchRenames } from '../../routers/engine/import/renames.ts';
import { createSimilarFiles, type Fingerprint, fingerprint } from '../../routers/engine/import/similarity.ts';
import { mergeSnapshots } from '../../routers/engine/merge/snapshots.ts';
import { diffSnapshots } from '../../routers/engine/store/diff.ts';
import type { Mutation } from '../../routers/engine/store/edit.ts';
import type { PageRecord } from '../../routers/engine/store/records.ts';
import { commit, createMemoryStore, type MemoryStore } from '../engine/store/memory-store.ts';
import { edit, page, put } from '../engine/store/spaces.ts';
import { expectLinear } from '../helpers/growth.ts';

const range = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
const id = (index: number) => `p${String(index).padStart(7, '0')}`;
const move = (pageId: string, parent: string | null, index?: number): Mutation => ({
  type: 'patch-page',
  id: pageId,
  fields: {},
  parent,
  ...(index !== undefined && { index }),
});
const pages = (size: number) => range(size, (index) => put(id(index)));
const chain = (name: string, length: number) =>
  range(length, (index) => put(`${name}${index}`, index === 0 ? null : `${name}${index - 1}`));

type Work = () => Promise<unknown>;

/** Asynchronous work on content in a store, which requires a different measurement than other tests. */
async function measure(prepare: (size: number) => Promise<Work>, size: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 2; count++) {
    const work = await prepare(size);
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Fails if the time grows clearly faster than n log n, also in a second measurement with larger sizes. */
async function expectGrowth(prepare: (size: number) => Promise<Work>): Promise<void> {
  const exponents: number[] = [];
  await measure(prepare, 250);
  for (let size = 500; size <= 2000; size *= 2) {
    const first = await measure(prepare, size);
    const last = await measure(prepare, size * 8);
    exponents.push(Math.log2(last / Math.max(first, 1)) / 3);
    if ((exponents.at(-1) as number) < 1.45) return;
  }
  expect(exponents).toEqual('powers of the size below 1.45');
}

const editing = (before: Mutation[], changes: Mutation[]) => async () => {
  const store = createMemoryStore();
  const root = await edit(store, before);
  return () => edit(store, changes, root);
};
async function sides(store: MemoryStore, before: Mutation[], ours: Mutation[], theirs: Mutation[]) {
  const root = await edit(store, before);
  return [root, await edit(store, ours, root), await edit(store, theirs, root)] as const;
}
const merging = (before: Mutation[], ours: Mutation[], theirs: Mutation[]) => async () => {
  const store = createMemoryStore();
  const roots = await sides(store, before, ours, theirs);
  return () => commit(store, (buffer) => mergeSnapshots(buffer, ...roots));
};

test.for<[string, (size: number) => () => Promise<Work>]>([
  [
    'pages with the same title are inserted',
    (size) =>
      editing(
        [],
        range(size, (n) => put(id(n), null, { title: 'Same' })),
      ),
  ],
  [
    'pages are inserted before one',
    (size) =>
      editing(
        [put('z')],
        range(size, (index) => ({ ...put(id(index)), index }) as Mutation),
      ),
  ],
  [
    'all pages are moved',
    (size) =>
      editing(
        [put('x'), ...pages(size)],
        range(size, (n) => move(id(n), 'x')),
      ),
  ],
  [
    'the order of all pages is reversed',
    (size) =>
      editing(
        pages(size),
        range(size, (n) => move(id(n), null, 0)),
      ),
  ],
  [
    'all pages are deleted',
    (size) =>
      editing(
        pages(size),
        range(size, (n) => ({ type: 'delete-page', id: id(n) })),
      ),
  ],
  [
    'sides that nest pages in each other are merged',
    (size) =>
      merging(
        pages(size),
        range(size / 2, (n) => move(id(2 * n), id(2 * n + 1))),
        range(size / 2, (n) => move(id(2 * n + 1), id(2 * n))),
      ),
  ],
  [
    'sides that nest pages too deeply are merged',
    (size) => {
      const chains = range(size / 36, (n) => [
        ...chain(`a${n}x`, 12),
        ...chain(`b${n}x`, 12),
        ...chain(`c${n}x`, 12),
      ]);
      return merging(
        chains.flat(),
        chains.map((_, n) => move(`b${n}x0`, `a${n}x11`)),
        chains.map((_, n) => move(`c${n}x0`, `b${n}x11`)),
      );
    },
  ],
  [
    'sides with the same slugs are merged',
    (size) =>
      merging(
        [put('x')],
        range(size, (n) => put(`a${n}`, null, { slug: `s${n}` })),
        range(size, (n) => put(`b${n}`, null, { slug: `s${n}` })),
      ),
  ],
  [
    'sides are merged of which one deleted the parent of new pages',
    (size) =>
      merging(
        pages(size),
        range(size, (n) => ({ type: 'delete-page', id: id(n) })),
        range(size, (n) => put(`c${n}`, id(n))),
      ),
  ],
  [
    'sides that changed titles are merged',
    (size) =>
      merging(
        pages(size),
        range(size, (n) => put(id(n), null, { title: 'a' })),
        range(size, (n) => put(id(n), null, { title: 'b' })),
      ),
  ],
  [
    'revisions are compared',
    (size) => async () => {
      const store = createMemoryStore();
      const [root, , changed] = await sides(
        store,
        pages(size),
        [],
        range(size, (n) => put(id(n), null, { title: 'b' })),
      );
      return () => diffSnapshots(store, root, changed);
    },
  ],
])('%s, in linear time', async ([, prepare]) => {
  await expectGrowth((size) => prepare(size)());
});

const planned = (index: number): PlannedPage => ({
  key: id(index),
  id: id(index),
  parent: null,
  type: 'document',
  title: id(index),
  slug: id(index),
});
const record = (index: number): PageRecord => ({
  ...page(id(index)),
  parent: null,
  position: id(index),
  slug: 's',
});

test.for<[string, (size: number) => PlannedPage[]]>([
  ['are unchanged', (size) => range(size, planned)],
  ['were reversed', (size) => range(size, planned).reverse()],
  ['were half removed', (size) => range(size / 2, (index) => planned(2 * index))],
  ['were half added', (size) => range(size * 2, planned)],
])('an import of pages that %s is planned in linear time', ([name, make]) => {
  const prepare = (size: number) => ({
    previous: { ...NO_PREVIOUS_IMPORT, pages: new Map(range(size, (index) => [id(index), record(index)])) },
    wanted: {
      pages: make(size),
      documents: new Map(),
      files: [],
      reusableContents: [],
      variables: {},
      repository: [],
      now: '2026-01-01T00:00:00.000Z',
    },
  });
  expectLinear(name, prepare, ({ previous, wanted }) => void planMutations(previous, wanted), {
    from: 1024,
    milliseconds: 3,
  });
});

test('renames of many equal files are found in linear time', () => {
  const files = (name: string) => (size: number) =>
    range(size, (index) => ({ path: `${name}/${index}`, oid: 'same' }));
  const make = (size: number) => [files('old')(size), files('new')(size)] as const;
  expectLinear('renames', make, ([before, after]) => void matchRenames(before, after), {
    from: 1024,
    milliseconds: 3,
  });
});

test.for<[string, (file: number, line: number) => string]>([
  ['all are equal', (_, line) => `Line ${line}.`],
  ['all have most in common', (file, line) => (line < 8 ? `Line ${line}.` : `Line ${line} of ${file}.`)],
  ['all share each line with some others', (file, line) => `Line ${line} of ${file >> line}.`],
])('similar files are found in linear time if %s', ([name, lineOf]) => {
  const text = (file: number) => range(10, (line) => `${lineOf(file, line)}\n`).join('');
  const make = (size: number) => range(size, (file) => fingerprint(Buffer.from(text(file))));
  const run = (files: Fingerprint[]) => {
    const similar = createSimilarFiles();
    for (const [index, file] of files.entries()) similar.add(`${index}.md`, file);
    for (const file of files) similar.find(file, 0.5);
  };
  expectLinear(name, make, run, { from: 256, milliseconds: 3 });
});
