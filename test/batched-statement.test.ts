import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Db } from '../routers/base/db.ts';
import { batchedStatement, type Operand } from '../routers/sql/batched-statement.ts';
import { DatabasePool } from '../server/database/database-pool.ts';
import type { Person } from './helpers/builders.ts';
import { startTestService, type TestService } from './helpers/service.ts';

let service: TestService;
let db: Db;
let people: Person[];
beforeAll(async () => {
  service = await startTestService();
  db = service.runtime.database.db;
  people = await Promise.all(Array.from({ length: 60 }, () => service.build.user()));
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

/** A statement with two parameters, the second of which has no effect for most values. */
const reader = () =>
  batchedStatement((on, id: Operand, other: Operand) =>
    on.selectFrom('user').select(['id', 'email']).where('id', '=', id).where('display_name', '<>', other),
  );

/** Waits until the calls of this turn are sent. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The number of statements sent to any pool from now on. */
function countStatements() {
  const connect = vi.spyOn(DatabasePool.prototype, 'connect');
  return () => connect.mock.calls.length;
}

test('calls in one turn of the event loop are one statement, and each gets its own row, or none', async () => {
  const read = reader();
  const sent = countStatements();
  const [first, second, third] = people as [Person, Person, Person];
  const answers = await Promise.all([
    read(db, third.id, 'nobody'),
    read(db, 'nobody has this id', 'nobody'),
    read(db, first.id, 'nobody'),
    read(db, "' or true --", '{"\\'),
    read(db, second.id, 'nobody'),
  ]);
  expect(answers.map((row) => row?.id)).toEqual([third.id, undefined, first.id, undefined, second.id]);
  expect(answers[0]).toMatchObject({ id: third.id, email: expect.any(String) });
  expect(sent()).toBe(1);
});

test('a single call, a call in a batch and a call in a transaction have the same result', async () => {
  const read = reader();
  const [one, two] = people as [Person, Person];
  const alone = await read(db, one.id, 'nobody');
  const [together] = await Promise.all([read(db, one.id, 'nobody'), read(db, two.id, 'nobody')]);
  const inside = await db.transaction().execute((transaction) => read(transaction, one.id, 'nobody'));
  expect(together).toMatchObject(alone ?? {});
  expect(inside).toEqual(alone);
});

test('a batch is limited in size', async () => {
  const read = reader();
  const sent = countStatements();
  const answers = await Promise.all(people.map(({ id }) => read(db, id, 'nobody')));
  expect(answers.map((row) => row?.id)).toEqual(people.map(({ id }) => id));
  expect(sent()).toBe(3);
});

test('small batches of different sizes share a query plan', async () => {
  const read = batchedStatement((on, id: Operand) =>
    on
      .selectFrom('user')
      .select(sql<number>`(select count(*)::int from api_token where user_id = "user".id)`.as('plannedOnce'))
      .where('id', '=', id),
  );
  const [one, two] = people as [Person, Person];
  for (let batch = 0; batch < 20; batch++) await Promise.all([read(db, one.id), read(db, two.id)]);
  // All of them used this one connection. A statement is always planned again the first five times.
  const { rows } = await sql<{ planned: number; kept: number }>`
    select custom_plans::int as planned, generic_plans::int as kept from pg_prepared_statements
    where statement like '%plannedOnce%' and statement not like '%pg_prepared_statements%'`.execute(db);
  expect(rows).toEqual([{ planned: 5, kept: 15 }]);
});

test('a call never gets a result from a statement sent before it', async () => {
  const { id } = await service.build.user();
  const read = reader();
  const rename = (name: string) =>
    db.updateTable('user').set({ display_name: name }).where('id', '=', id).execute();
  for (let round = 0; round < 20; round++) {
    await rename('nobody');
    const before = read(db, id, 'nobody');
    await turn();
    // In flight during the following calls.
    await rename('somebody');
    expect(await read(db, id, 'nobody')).toBeDefined();
    await before;
  }
});

test('calls in a transaction run by themselves and see its writes; calls beside it do not', async () => {
  const { id } = await service.build.user();
  const read = reader();
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('user').set({ display_name: 'nobody' }).where('id', '=', id).execute();
    const [inside, outside] = await Promise.all([
      read(transaction, id, 'nobody'),
      read(db, id, 'nobody'),
      ...people.map((other) => read(db, other.id, 'nobody')),
    ]);
    expect(inside).toBeUndefined();
    expect(outside?.id).toBe(id);
    const sent = vi.spyOn(transaction, 'executeQuery');
    await Promise.all(people.slice(0, 3).map((other) => read(transaction, other.id, 'nobody')));
    expect(sent).toHaveBeenCalledTimes(3);
  });
});

test('calls on different pools of connections are not sent together', async () => {
  const { background } = service.runtime.database;
  const read = reader();
  const sent = countStatements();
  const { id } = people[0] as Person;
  const answers = await Promise.all([read(db, id, 'nobody'), read(background, id, 'nobody')]);
  expect(answers.map((row) => row?.id)).toEqual([id, id]);
  expect(sent()).toBe(2);
});

test('during an outage all calls of a batch fail, and later calls succeed', async () => {
  const read = reader();
  const lost = new Error('Connection terminated unexpectedly');
  vi.spyOn(DatabasePool.prototype, 'connect').mockRejectedValueOnce(lost);
  const failed = await Promise.allSettled(people.slice(0, 5).map(({ id }) => read(db, id, 'nobody')));
  expect(failed.map((result) => result.status === 'rejected' && result.reason)).toEqual(
    failed.map(() => lost),
  );
  const { id } = people[0] as Person;
  expect(await read(db, id, 'nobody')).toMatchObject({ id });
});

describe('a parameter that the database rejects', () => {
  /** Also selects by a number, to which not every text can be cast. */
  const readByLength = () =>
    batchedStatement((on, id: Operand, length: Operand) =>
      on
        .selectFrom('user')
        .select('id')
        .where('id', '=', id)
        .where(sql<boolean>`length(id) = ${length}::integer`),
    );

  test.each([
    ['is not of its type', 'twenty', '22P02'],
    ['is too large for its type', '99999999999', '22003'],
    ['has a NUL', '20\0', '22021'],
  ])('because it %s makes only its own call fail', async (_, refused, code) => {
    const read = readByLength();
    const sent = countStatements();
    const lengths = people.slice(0, 25).map((_, index) => (index === 7 ? refused : '20'));
    const answers = await Promise.allSettled(
      lengths.map((length, index) => read(db, (people[index] as Person).id, length)),
    );
    for (const [index, answer] of answers.entries()) {
      if (index === 7) expect(answer).toMatchObject({ status: 'rejected', reason: { code } });
      else expect(answer).toMatchObject({ status: 'fulfilled', value: { id: people[index]?.id } });
    }
    expect(sent()).toBeLessThan(25 / 2);
  });

  test('a parameter that the database rejects never gives a call the row of another', async () => {
    const read = reader();
    const [one, two] = people as [Person, Person];
    const answers = await Promise.allSettled([
      read(db, one.id, 'a\0b'),
      read(db, `${one.id}\0a`, 'b'),
      read(db, two.id, 'nobody'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});

test('calls do not wait for a statement that hangs', async () => {
  const read = reader();
  const [one, two] = people as [Person, Person];
  const hung = Promise.withResolvers<never>();
  vi.spyOn(DatabasePool.prototype, 'connect').mockReturnValueOnce(hung.promise);
  const first = read(db, one.id, 'nobody');
  await turn();
  expect(await read(db, two.id, 'nobody')).toMatchObject({ id: two.id });
  hung.reject(new Error('given up'));
  await expect(first).rejects.toThrow('given up');
});
