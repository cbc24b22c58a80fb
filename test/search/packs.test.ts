import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { collectSearchGarbage } from '../../routers/search/garbage.operation.ts';
import { packLeaves, unpackLeaves } from '../../routers/search/leaf-packs.ts';
import { columnsOf, type LeafColumns, type StoredPage } from '../../routers/search/leaves.ts';
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

/** Replaces the document of every page in the packs, so that none of them is found by the packs any more. */
const spoilPacks = async (): Promise<void> => {
  const { db } = service.runtime.database;
  const rows = await db.selectFrom('search_leaf_pack').selectAll().where('space_id', '=', space).execute();
  expect(rows).not.toEqual([]);
  for (const { position, leaves } of rows) {
    const pack = leaves as { numbers: number[] };
    await db
      .updateTable('search_leaf_pack')
      .set({ leaves: JSON.stringify({ ...pack, numbers: pack.numbers.map(() => 0) }) })
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
  .map((entries) => new Map(entries.map(([hash, pages]) => [hash, columnsOf(pages)])));

test('leaves are packed and unpacked without changes: any leaves', () => {
  fc.assert(
    fc.property(leaves, (given: Map<string, LeafColumns>) => {
      expect(unpackLeaves(JSON.parse(JSON.stringify(packLeaves(given))))).toEqual(given);
    }),
  );
});
