import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, kyselyOf } from '../../routers/base/db.ts';
import { positionsBetween } from '../../routers/engine/ordering.ts';
import { contentsOf } from '../../routers/placement/contents.query.ts';
import {
  type Anchor,
  type Positioned,
  positionAtEnd,
  positionIn,
  type Siblings,
} from '../../routers/placement/siblings.operation.ts';
import { recordPlans } from '../helpers/record-plans.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let db: Db;
beforeAll(async () => {
  service = await startTestService();
  db = service.runtime.database.db;
  for (const table of TABLES) {
    const columns = sql`id text primary key, shelf text not null, position text collate "C" not null`;
    await sql`create table ${sql.table(table)} (${columns})`.execute(db);
  }
});
afterAll(() => service.close());

/** Two tables with one order: books and boxes on a shelf. */
const TABLES = ['shelved_book', 'shelved_box'] as const;
type Table = (typeof TABLES)[number];
const onShelf = (shelf: string): Siblings => ({
  shelved_book: sql`shelf = ${shelf}`,
  shelved_box: sql`shelf = ${shelf}`,
});

const rowsOn = async (shelf: string): Promise<Positioned[]> => {
  const { rows } = await sql<Positioned>`
    select id, position from shelved_book where shelf = ${shelf}
    union all select id, position from shelved_box where shelf = ${shelf} order by position, id`.execute(db);
  return rows;
};
const idsOn = async (shelf: string) => (await rowsOn(shelf)).map(({ id }) => id);

const put = (table: Table, id: string, shelf: string, position: string) =>
  sql`
    insert into ${sql.table(table)} (id, shelf, position) values (${id}, ${shelf}, ${position})
    on conflict (id) do update set shelf = excluded.shelf, position = excluded.position`.execute(db);

interface Thing {
  id: string;
  table: Table;
}

const SHELVES = ['upper', 'lower'] as const;
const shelf = fc.constantFrom(...SHELVES);
const beside = fc.option(
  fc.record({ side: fc.constantFrom('before', 'after'), index: fc.nat() }) satisfies fc.Arbitrary<{
    side: Anchor['side'];
    index: number;
  }>,
);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('add'), table: fc.constantFrom(...TABLES), shelf, beside }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('move'), from: shelf, index: fc.nat(), shelf, beside }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('level'), shelf }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The same items as plain lists. */
type Shelves = Record<string, Thing[]>;

/** Performs a step in the database and in the lists; both must agree on whether an item is already in its position. */
async function take(shelves: Shelves, given: Step, newId: string): Promise<void> {
  const to = shelves[given.shelf] as Thing[];
  if (given.do === 'level') {
    // As after an import of rows, or by mistake: all positions are equal, and the ids decide.
    for (const table of TABLES)
      await sql`update ${sql.table(table)} set position = 'V' where shelf = ${given.shelf}`.execute(db);
    to.sort((a, b) => (a.id < b.id ? -1 : 1));
    return;
  }
  const from = given.do === 'move' ? (shelves[given.from] as Thing[]) : undefined;
  if (from?.length === 0) return;
  const thing =
    given.do === 'move'
      ? ((from as Thing[])[given.index % (from as Thing[]).length] as Thing)
      : { id: newId, table: given.table };
  const rows = await rowsOn(given.shelf);
  const others = to.filter((one) => one !== thing);
  const at = given.beside && others.length > 0 ? given.beside : null;
  const neighbour = at && others[at.index % others.length];
  const anchor = at && { side: at.side, child: rows.find(({ id }) => id === neighbour?.id) as Positioned };
  const moving = from === to ? rows.find(({ id }) => id === thing.id) : undefined;
  const position = await positionIn(db, onShelf(given.shelf), anchor ?? undefined, moving);

  const before = [...to];
  if (from) from.splice(from.indexOf(thing), 1);
  const index = neighbour ? to.indexOf(neighbour) + (at.side === 'after' ? 1 : 0) : to.length;
  to.splice(index, 0, thing);
  const isThere = from === to && before.every((one, i) => one === to[i]);
  expect(position === undefined).toBe(isThere);
  if (position !== undefined) await put(thing.table, thing.id, given.shelf, position);
}

describe('siblings of several tables', () => {
  test('siblings of several tables are ordered as in a plain list, wherever items are added and moved', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(db);
      const shelves: Shelves = { upper: [], lower: [] };
      for (const [i, each] of steps.entries()) {
        // Ids in random order, like those of imported rows.
        await take(shelves, each, `${(i * 7) % 10}-${i}`);
        for (const name of SHELVES)
          expect(await idsOn(name)).toEqual((shelves[name] as Thing[]).map(({ id }) => id));
      }
    });
    await fc.assert(property, { numRuns: process.env.LONG === '1' ? 500 : 40, seed: 7 });
  });

  test('siblings of several tables with equal positions get new ones, and others keep theirs', async () => {
    for (const id of ['a', 'b', 'c']) await put('shelved_book', id, 'shared', 'V');
    await put('shelved_box', 'd', 'shared', 'V');
    await put('shelved_box', 'elsewhere', 'other', 'V');
    const anchor = { side: 'after', child: { id: 'b', position: 'V' } } as const;
    await put('shelved_box', 'new', 'shared', (await positionIn(db, onShelf('shared'), anchor)) as string);
    expect(await idsOn('shared')).toEqual(['a', 'b', 'new', 'c', 'd']);
    expect(new Set((await rowsOn('shared')).map(({ position }) => position)).size).toBe(5);
    expect(await rowsOn('other')).toEqual([{ id: 'elsewhere', position: 'V' }]);
  });

  test('siblings of several tables get short positions again once those in one gap have become too long', async () => {
    const near = `V${'0'.repeat(198)}1`;
    await put('shelved_book', 'a', 'narrow', 'V');
    await put('shelved_box', 'b', 'narrow', near);
    const place = async (id: string, child: Positioned) =>
      put(
        'shelved_box',
        id,
        'narrow',
        (await positionIn(db, onShelf('narrow'), { side: 'before', child })) as string,
      );
    await place('new', { id: 'b', position: near });
    expect(await idsOn('narrow')).toEqual(['a', 'new', 'b']);
    for (const { position } of await rowsOn('narrow')) expect(position.length).toBeLessThan(5);
  });

  test('the end of siblings of several tables is after the last one of any table, also if there are none', async () => {
    await put('shelved_book', 'book', 'end', 'a');
    await put('shelved_box', 'box', 'end', 'b');
    expect((await positionAtEnd(db, onShelf('end'))) > 'b').toBe(true);
    expect(await positionAtEnd(db, onShelf('empty'))).not.toBe('');
  });
});

describe('among many siblings', () => {
  test('the siblings next to a gap are read from an index in order, at the root and in a collection', async () => {
    const { id: organization } = await service.build.organization();
    const { id: parent } = await service.build.collection(organization);
    const space = await service.build.space(organization);
    const positions = positionsBetween(null, null, 3000) as string[];
    const between = positions.map((position) => `${position}V`);
    await service.runtime.database.transaction(async (em) => {
      const inside = kyselyOf(em);
      await sql`set local session_replication_role = replica`.execute(inside);
      for (const [table, original, made] of [
        ['space', space.id, positions],
        ['collection', parent, between],
      ] as const)
        for (const lies of [null, parent])
          await sql`
            insert into ${sql.table(table)}
            select (jsonb_populate_record(t, jsonb_build_object(
              'id', gen_random_uuid()::text, 'position', made, 'parent_id', ${lies}::text))).*
            from ${sql.table(table)} t, unnest(${made}::text[]) as made
            where t.id = ${original}`.execute(inside);
    });
    await sql`analyze space, collection`.execute(db);
    const child = { id: 'x', position: `${positions[1500]}G` };
    for (const [lies, name] of [
      [null, 'root'],
      [parent, 'order'],
    ] as const) {
      const plans: string[] = [];
      const children = contentsOf({ organization, parent: lies });
      await positionAtEnd(recordPlans(db, plans), children);
      await positionIn(recordPlans(db, plans), children, { side: 'before', child });
      await positionIn(recordPlans(db, plans), children, { side: 'after', child });
      expect(plans).toHaveLength(3);
      for (const plan of plans) {
        expect(plan).toMatch(new RegExp(`Index (Only )?Scan.* using space_${name} `));
        expect(plan).toMatch(new RegExp(`Index (Only )?Scan.* using collection_${name} `));
        // The nearest of each table are merged in order: nothing is sorted, and no table is scanned.
        expect(plan).not.toMatch(/Seq Scan|Bitmap/);
      }
    }
  });
});
