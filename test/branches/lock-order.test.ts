import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { removeDeletedSpaces } from '../../routers/spaces/removal.operation.ts';
import { LOCK_ORDER } from '../../routers/sql/lock-order.ts';
import { toolContext } from '../../server/context.ts';
import { open, setScene } from '../change-requests/scene.ts';
import { call, idsForOwner } from '../contract/calls.ts';
import { type Operation, operations } from '../contract/operations.ts';
import { buildWorld, type World } from '../contract/world.ts';
import { locksOf, type RowLock, rowsInsertedBy, rowsUpdatedBy } from '../helpers/row-locks.ts';
import { type ApiResponse, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { type Snapshot, takeSnapshot } from '../helpers/snapshot.ts';
import { lockOrderViolation, watchTransactions } from '../helpers/transactions.ts';

let service: TestService;
let world: World;
let snapshot: Snapshot;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  snapshot = await takeSnapshot(service);
});
afterEach(() => snapshot.restore());
afterAll(() => service.close());

describe('the locks of a statement', () => {
  const lock = (table: string, strength: RowLock['strength'], waits = true) => ({ table, strength, waits });
  test.for([
    ['select * from "space" where id = $1 for no key update', [lock('space', 'no key update')]],
    [
      'select 1 from "user" as u join member m on m.user_id = u.id for key share of m',
      [lock('member', 'key share')],
    ],
    ['select 1 from a join b on true for share', [lock('a', 'share'), lock('b', 'share')]],
    [
      'select from site where id in (select site_id from site_space) order by id for update',
      [lock('site', 'update')],
    ],
    ['update "site" set title = $1', [lock('site', 'no key update')]],
    [
      'with gone as (delete from comment returning id) update space set n = 1',
      [lock('comment', 'update'), lock('space', 'no key update')],
    ],
    ['insert into team (id) values ($1) on conflict do nothing', []],
    [
      'insert into "permission" (id) values ($1) on conflict (id) do update set role = $2',
      [lock('permission', 'no key update')],
    ],
    [`insert into "space" ("id", "title") values ('a', 'For update of "site"')`, []],
    [
      'update job set n = 1 where id in (select id from job for update skip locked)',
      [lock('job', 'no key update', false), lock('job', 'update', false)],
    ],
  ] as const)('the locks of a statement are found: %s', ([statement, locks]) => {
    expect(locksOf(statement)).toEqual(locks);
  });

  test('the rows that a statement adds, or names by id, are found in its text', () => {
    const added = rowsInsertedBy(
      `insert into "space" ("id", "title") values ('a', 'One, (two)'), ('b', '')`,
      [],
    );
    expect(added).toEqual(['space a', 'space b']);
    expect(rowsInsertedBy('insert into team (id, title) values ($1, $2)', ['c', 'd'])).toEqual(['team c']);
    expect(rowsInsertedBy('insert into member (user_id) values ($1)', ['c'])).toEqual([]);
    expect(rowsUpdatedBy(`update "space" set "title" = 'x' where "id" = 'a'`, [])).toEqual(['space a']);
    expect(rowsUpdatedBy('update space set n = 1 where id in ($1, $2)', ['a', 'b'])).toEqual([
      'space a',
      'space b',
    ]);
    expect(rowsUpdatedBy('update space set n = 1 where n = 2', [])).toBeUndefined();
  });

  test('a lock counts as out of order only if it may wait', () => {
    expect(lockOrderViolation([lock('site', 'no key update'), lock('space', 'share')])).toBeUndefined();
    expect(
      lockOrderViolation([lock('space', 'update'), lock('site', 'no key update', false)]),
    ).toBeUndefined();
    expect(lockOrderViolation([lock('space', 'update'), lock('site', 'no key update')])).toMatch(
      '"site" is locked after "space"',
    );
    expect(lockOrderViolation([lock('elsewhere', 'update')])).toMatch(
      '"elsewhere" has no place in the order of locks: add it to LOCK_ORDER in routers/sql/lock-order.ts',
    );
  });
});

/** Runs something, and returns the locks of each of its transactions. */
async function locksIn(work: () => Promise<unknown>): Promise<(readonly RowLock[])[]> {
  const transactions = new Set<readonly RowLock[]>();
  const stop = watchTransactions({ locked: (transaction) => void transactions.add(transaction) });
  await work().finally(stop);
  return [...transactions];
}

interface Outcome {
  answers: [ApiResponse, ApiResponse];
  /** The error codes of statements that failed. */
  codes: unknown[];
}

const WAITING = sql`
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/**
 * Runs the first operation up to its first lock on a table, then the second until it has ended or waits for the first, and
 * then both to their ends.
 */
async function collide(
  table: string,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<Outcome> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const codes: unknown[] = [];
  let hasPaused = false;
  const stop = watchTransactions({
    locked(_, added) {
      if (hasPaused || !added.some((lock) => lock.table === table)) return undefined;
      hasPaused = true;
      held.resolve();
      return released.promise;
    },
    failed: (error) => void codes.push((error as { code?: unknown }).code),
  });
  try {
    const one = first();
    await Promise.race([held.promise, one]);
    let isOver = false;
    const other = second().finally(() => {
      isOver = true;
    });
    const watch = service.runtime.database.background;
    while (!isOver && (await WAITING.execute(watch)).rows.length === 0);
    released.resolve();
    return { answers: (await Promise.all([one, other])) as [ApiResponse, ApiResponse], codes };
  } finally {
    released.resolve();
    stop();
  }
}

/** PostgreSQL's code for a deadlock. */
const DEADLOCK = '40P01';

test('operations that lock rows of the same tables wait for each other without a deadlock', async () => {
  const run = async (operation: Operation) =>
    call(world.admin, operation, await idsForOwner(world.admin, operation, world));
  /** The operations that lock one table and then another, by the two tables. */
  const pairs = new Map<string, Set<Operation>>();
  for (const operation of operations.filter(({ procedure }) => procedure._def.type === 'mutation')) {
    for (const locks of await locksIn(() => run(operation))) {
      const tables = [...new Set(locks.map(({ table }) => table))];
      for (const [index, before] of tables.entries())
        for (const after of tables.slice(index + 1)) {
          const pair = `${before} ${after}`;
          pairs.set(pair, (pairs.get(pair) ?? new Set()).add(operation));
        }
    }
    await snapshot.restore();
  }
  const shared = [...pairs].filter(([, { size }]) => size > 1);
  expect(shared.length).toBeGreaterThan(30);
  const collided = new Set<string>();
  for (const [pair, sharing] of shared) {
    const [table = ''] = pair.split(' ');
    const [one, other] = [...sharing] as [Operation, Operation];
    // Two operations that are stopped at the same lock need not be tested again for another pair of tables.
    const collision = `${table}: ${one.name} and ${other.name}`;
    if (collided.has(collision)) continue;
    collided.add(collision);
    const { answers, codes } = await collide(
      table,
      () => run(one),
      () => run(other),
    );
    expect(codes, collision).not.toContain(DEADLOCK);
    for (const { status, body } of answers)
      expect(status, `${collision}: ${JSON.stringify(body)}`).toBeLessThan(500);
    await snapshot.restore();
  }
});

describe('concurrently', () => {
  /** A site that shows one of the two spaces of a collection. */
  async function setShelf() {
    const scene = await setScene(service);
    const { me, organization } = scene;
    const collection = await service.build.collection(organization);
    const shown = await service.build.space(organization, { parent: collection.id });
    const other = await service.build.space(organization, { parent: collection.id });
    const site = await service.build.site(organization, { spaces: [shown.id, scene.space] });
    const destination = await service.build.organization();
    await service.build.join(destination.id, scene.admin.id, 'admin');
    const transfer = () =>
      me.post(`/collections/${collection.id}/transfer`, { organization: destination.id });
    return {
      ...scene,
      shown: shown.id,
      other: other.id,
      transfer,
      site: `/orgs/${organization}/sites/${site.id}`,
    };
  }

  test('a collection is transferred while one of its spaces is added to a site', async () => {
    const { me, shown, other, site, transfer } = await setShelf();
    await expectOk(me.delete(`/spaces/${shown}`));
    const add = () => me.post(`${site}/site-spaces`, { spaceId: other });
    const { answers, codes } = await collide('site', add, transfer);
    expect(codes).not.toContain(DEADLOCK);
    expect(answers.map(({ status }) => status)).toEqual([201, 412]);
  });

  test('a collection is transferred while one of its deleted spaces is purged', async () => {
    const { me, shown, transfer } = await setShelf();
    await expectOk(me.delete(`/spaces/${shown}`));
    const { database, services } = service.runtime;
    const deletedAt = new Date(Date.now() - 8 * 24 * 3600 * 1000);
    await database.db.updateTable('space').set({ deleted_at: deletedAt }).where('id', '=', shown).execute();
    const remove = () => removeDeletedSpaces(toolContext(database, services));
    const { answers, codes } = await collide('space', remove, transfer);
    expect(codes).not.toContain(DEADLOCK);
    expect(answers[1].status).toBe(200);
    expect((await me.get(`/spaces/${shown}`)).status).toBe(404);
  });

  test('a member named in merge rules is removed while their review is requested', async () => {
    const scene = await setScene(service);
    const { me, organization, path } = scene;
    const { id: user } = await service.build.member(organization, 'review');
    const rules = [{ rule: 'allow_bypass', users: [user] }];
    await expectOk(me.patch(path, { mergeRules: { type: 'rules', rules } }));
    const { at } = await open(scene);
    const request = () => me.post(`${at}/requested-reviewers`, { users: [user] });
    const remove = () => me.delete(`/orgs/${organization}/members/${user}`);
    const { answers, codes } = await collide('space', request, remove);
    expect(codes).not.toContain(DEADLOCK);
    expect(answers.map(({ status }) => status)).toEqual([200, 205]);
    expect((await me.get(`${at}/requested-reviewers`)).body.count).toBe(0);
  });
});

/**
 * Foreign keys of which a deletion leaves nothing to change: the issues of a cluster leave it first, with the organization's
 * index of issues locked, and the sections of a group leave it with the site locked.
 */
const LEFT_BEFORE = ['issues_cluster conversation_issue', 'site_section_group site_section'];

test('in the order of locks, tables of cascading deletions come after the table of the deleted row', async () => {
  const { rows } = await sql<{ parent: string; child: string }>`
    select distinct confrelid::regclass::text as parent, conrelid::regclass::text as child from pg_constraint
    where contype = 'f' and confdeltype in ('c', 'n') and confrelid <> conrelid`.execute(
    service.runtime.database.db,
  );
  const place = (table: string) => (LOCK_ORDER as readonly string[]).indexOf(table.replaceAll('"', ''));
  const early = rows.filter(({ parent, child }) => place(child) >= 0 && place(child) < place(parent));
  expect(early.map(({ parent, child }) => `${parent} ${child}`)).toEqual(LEFT_BEFORE);
  expect(rows.length).toBeGreaterThan(20);
});
