import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { collectSearchGarbage } from '../../routers/search/garbage.operation.ts';
import type { Indexed } from '../../routers/search/id-lists.ts';
import { packSpaces } from '../../routers/search/leaf-packs.operation.ts';
import { LeafPack, PackedSpace, packLeaves } from '../../routers/search/leaf-packs.ts';
import { columnsOf, type LeafColumns, leafOf, rowOf, type StoredPage } from '../../routers/search/leaves.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { contextOf, index, page, spaceWith, titlesIn } from './scene.ts';

/** About 130 leaves: their number depends on the random ids of the pages, and has to be above 64 in every run. */
const PAGES = 2000;
/** As many as one request may insert. */
const BATCH = 50;

let service: TestService;
let organization: string;
let admin: Client;
let original: string;
/** A copy for each test. */
let space: string;
/** The ids of its first pages. */
let pages: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  admin = service.as(built.admin.token);
  const inserted = Array.from({ length: PAGES }, (_, at) =>
    page(`Page ${at}`, at === 7 ? 'About walruses.' : 'About seals.'),
  );
  ({ id: original, pages } = await spaceWith(admin, organization, inserted.slice(0, BATCH)));
  for (let start = BATCH; start < PAGES; start += BATCH)
    await expectOk(
      admin.post(`/spaces/${original}/content`, { changes: inserted.slice(start, start + BATCH) }),
    );
});
afterAll(() => service.close());
beforeEach(async () => {
  ({ id: space } = await expectOk(admin.post(`/spaces/${original}/duplicate`)));
  await index(service, organization);
});

const packed = () =>
  service.runtime.database.db
    .selectFrom('search_space')
    .leftJoin('search_leaf_pack', 'search_leaf_pack.space_id', 'search_space.space_id')
    .select([
      'packed_leaves as leaves',
      'unpacked_leaves as others',
      'packed_generation as generation',
      'position',
    ])
    .where('search_space.space_id', '=', space)
    .executeTakeFirstOrThrow();

const valuesOf = <Value>(list: Indexed<Value>): Value[] =>
  Array.from({ length: list.length }, (_, index) => list.at(index) as Value);

/** Replaces the document of every page in the packs, so that none of them is found by the packs any more. */
const spoilPacks = async (): Promise<void> => {
  const { db } = service.runtime.database;
  const rows = await db.selectFrom('search_leaf_pack').selectAll().where('space_id', '=', space).execute();
  expect(rows).not.toEqual([]);
  for (const { position, leaves } of rows) {
    const pack = new LeafPack(leaves);
    const spoiled = valuesOf(pack.hashes).map((hash, at) => {
      const columns = pack.columns(at, at + 1);
      return [hash, { ...columns, numbers: columns.numbers.map(() => 0) }] as const;
    });
    await db
      .updateTable('search_leaf_pack')
      .set({ leaves: await packLeaves(new Map(spoiled), pack.map) })
      .where('space_id', '=', space)
      .where('position', '=', position)
      .execute();
  }
};

const edit = (changes: object[]) => expectOk(admin.post(`/spaces/${space}/content`, { changes }));

test('the first search of a large space reads its leaves from packs', async () => {
  const { leaves, others, position } = await packed();
  expect(leaves).toBeGreaterThan(64);
  expect(others).toBe(0);
  expect(position).toBe(0);
  await spoilPacks();
  // What is not in the packs is read from the leaves themselves.
  await edit([page('New', 'About walruses.')]);
  await index(service, organization);
  expect((await packed()).others).toBeGreaterThan(0);
  expect(await titlesIn(admin, space, 'walruses')).toEqual(['New']);
});

test('a space that has not changed since it was packed is read from its packs alone', async () => {
  await edit([page('New', 'About walruses.')]);
  await index(service, organization);
  await service.runtime.database.db
    .updateTable('search_space')
    .set({ unpacked_leaves: 1000 })
    .where('space_id', '=', space)
    .execute();
  await packSpaces(contextOf(service), organization);
  await spoilPacks();
  expect(await titlesIn(admin, space, 'walruses')).toEqual([]);
});

test('a search with packs follows edits', async () => {
  expect(await titlesIn(admin, space, 'walruses')).toEqual(['Page 7']);
  await edit([
    { operation: 'delete_page', page: pages['Page 7'] },
    page('New', 'About walruses.'),
    page('Hidden', 'About walruses.', { hidden: true }),
    { operation: 'update_page', page: pages['Page 9'], document: { markdown: 'About walruses.' } },
  ]);
  await index(service, organization);
  expect((await titlesIn(admin, space, 'walruses')).sort()).toEqual(['Hidden', 'New', 'Page 9']);
});

test('a space in another language does not use its earlier packs', async () => {
  await spoilPacks();
  await expectOk(admin.patch(`/spaces/${space}`, { language: 'de' }));
  await index(service, organization);
  expect(await titlesIn(admin, space, 'walruses')).toEqual(['Page 7']);
});

test('packs of another generation of the index are not read, and are written again when garbage is collected', async () => {
  await spoilPacks();
  const { db } = service.runtime.database;
  await db
    .updateTable('search_index')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where('organization_id', '=', organization)
    .execute();
  expect(await titlesIn(admin, space, 'walruses')).toEqual(['Page 7']);
  for (const markdown of ['About lynxes.', 'About otters.']) {
    await edit([{ operation: 'update_page', page: pages['Page 7'], document: { markdown } }]);
    await index(service, organization);
  }
  await collectSearchGarbage(contextOf(service));
  const { generation } = await db
    .selectFrom('search_index')
    .select('generation')
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
  expect(generation).toBe(2);
  expect(await packed()).toMatchObject({ generation, others: 0, position: 0 });
  expect(await titlesIn(admin, space, 'walruses')).toEqual([]);
  expect(await titlesIn(admin, space, 'otters')).toEqual(['Page 7']);
});

const id = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_'), minLength: 1, maxLength: 20 });
const part = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.tuple(fc.integer({ min: 1 }), fc.array(fc.string()), fc.array(id)),
);
const storedPage = fc
  .tuple(id, fc.option(id), fc.constantFrom(0, 1), fc.option(fc.string()), fc.array(part, { maxLength: 3 }))
  .map(([own, parent, hidden, condition, parts]) => [own, parent, hidden, condition, ...parts] as StoredPage);
const leaves = fc
  .uniqueArray(fc.tuple(id, fc.array(storedPage, { maxLength: 5 })), {
    selector: ([hash]) => hash,
    minLength: 1,
  })
  .map((entries) => entries.map(([hash, pages]) => [hash, columnsOf(pages)] as const));
type Leaves = readonly (readonly [hash: string, LeafColumns])[];

/** The pages of some leaves. */
const pagesOf = (some: readonly LeafColumns[]) =>
  some.flatMap(({ ids, parents, numbers, special }) =>
    valuesOf(ids).map((own, index) => [own, parents.at(index), numbers[index], special.get(index)]),
  );

test('leaves are packed and unpacked without changes: any leaves, in packs of any size', async () => {
  const property = fc.asyncProperty(leaves, fc.nat(), async (given: Leaves, cut: number) => {
    const middle = cut % (given.length + 1);
    const parts = [given.slice(0, middle), given.slice(middle)].filter(({ length }) => length > 0);
    const packs = await Promise.all(parts.map((part) => packLeaves(new Map(part), 'map')));
    const packed = new PackedSpace(packs.map((pack) => new LeafPack(pack)));
    const columns = given.map(([, leaf]) => leaf);
    expect(pagesOf(packed.leavesOf('map') ?? [])).toEqual(pagesOf(columns));
    expect(packed.leavesOf('other')).toBeUndefined();
    const [whole, single] = [rowOf(packed.leavesOf('map') ?? []), rowOf(columns.map((leaf) => leafOf(leaf)))];
    expect(valuesOf(whole.row.pages)).toEqual(valuesOf(single.row.pages));
    expect(valuesOf(whole.parents)).toEqual(valuesOf(single.parents));
    expect([whole.row.numbers, whole.row.pageOf]).toEqual([single.row.numbers, single.row.pageOf]);
  });
  await fc.assert(property);
});

test('leaves from packs are combined with others, in the order in which they are needed', async () => {
  const property = fc.asyncProperty(
    leaves,
    fc.infiniteStream(fc.boolean()),
    async (given: Leaves, choices) => {
      const isPacked = given.map(() => choices.next().value as boolean);
      const packs = await packLeaves(new Map(given.filter((_, index) => isPacked[index])), 'map');
      const packed = new PackedSpace([new LeafPack(packs)]);
      const others = new Map(
        given.flatMap(([hash, leaf], index) => (isPacked[index] ? [] : [[hash, leafOf(leaf)] as const])),
      );
      expect(packed.leavesOf(null)).toBeUndefined();
      for (const needed of [given, given.filter(() => choices.next().value), given.toReversed()]) {
        const collected = packed.collect(
          needed.map(([hash]) => hash),
          others,
        );
        expect(pagesOf(collected)).toEqual(pagesOf(needed.map(([, leaf]) => leaf)));
      }
    },
  );
  await fc.assert(property);
});
