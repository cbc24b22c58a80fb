import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditRow, seal } from '../../routers/audit/chain.ts';
import { removeOldAuditEvents } from '../../routers/audit/retention.operation.ts';
import { verifyAuditLog } from '../../routers/audit/verify.query.ts';
import { kyselyOf } from '../../routers/base/db.ts';
import { recordEvent } from '../../routers/events/record.operation.ts';
import { AuditEvent } from '../../schema/entities/audit-event.ts';
import { columnsOf } from '../../schema/rows.ts';
import { jobContext } from '../../server/context.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { audited, logOf, sealAll, verify } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** How many random changes are made; more with the environment variable. */
const RUNS = Number(process.env.AUDIT_RUNS ?? 60);

class Undone extends Error {}

/** Verifies a log after running some SQL, which is rolled back afterwards. */
async function findChainFault(log: string, ...tampering: ReturnType<typeof sql>[]): Promise<unknown> {
  let fault: unknown;
  await service.runtime.database
    .transaction(async (em) => {
      const db = kyselyOf(em);
      for (const change of tampering) await change.execute(db);
      ({ fault } = await verifyAuditLog(db, log));
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  return fault;
}

/** SQL that changes one column, by its name. */
const COLUMNS: Record<string, string> = {
  id: `'0zzzzzzzzzzzzzzzzzzz'`,
  action: `action || 'x'`,
  actor_type: `case actor_type when 'user' then 'system' else 'user' end`,
  actor_id: `actor_id || 'x'`,
  source: `case source when 'ui' then 'api' else 'ui' end`,
  target_type: `target_type || 'x'`,
  target_id: `target_id || 'x'`,
  payload: `payload || '{"more": 1}'`,
  credential_id: `coalesce(credential_id, '') || 'x'`,
  request_id: `coalesce(request_id, '') || 'x'`,
  created_at: `created_at + interval '1 millisecond'`,
  person_id: `coalesce(person_id, '') || 'x'`,
  personal: `coalesce(personal, '{}') || '{"name": "Other"}'`,
  salt: `coalesce(salt, '') || 'x'`,
  personal_digest: `coalesce(personal_digest, '') || 'x'`,
  number: 'null',
  hash: `'x' || hash`,
  log: `log || 'x'`,
};

const EVENTS = 9;
const place = fc.integer({ min: 1, max: EVENTS });

const tampering = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    at: place,
    column: fc.constantFrom(...Object.keys(COLUMNS)),
  }),
  fc.record({ kind: fc.constantFrom('delete' as const, 'insert' as const, 'truncate' as const), at: place }),
  fc
    .record({ kind: fc.constant('swap' as const), at: place, other: place })
    .filter(({ at, other }) => at !== other),
  fc.record({
    kind: fc.constantFrom(
      'cut head' as const,
      'other end' as const,
      'raise start' as const,
      'forget' as const,
    ),
    at: place,
  }),
);

function statementsOf(log: string, how: typeof tampering extends fc.Arbitrary<infer T> ? T : never) {
  const { kind, at } = how;
  const here = sql`log = ${log} and number = ${at}`;
  switch (kind) {
    case 'change':
      return [
        sql`update audit_event set ${sql.id(how.column)} = ${sql.raw(COLUMNS[how.column] as string)} where ${here}`,
      ];
    case 'delete':
      return [sql`delete from audit_event where ${here}`];
    case 'truncate':
      return [sql`delete from audit_event where log = ${log} and number >= ${at}`];
    case 'insert':
      return [
        sql`update audit_event set number = -number where log = ${log} and number > ${at}`,
        sql`update audit_event set number = 1 - number where log = ${log} and number < 0`,
        sql`insert into audit_event
          select (jsonb_populate_record(original, '{"id": "0zzzzzzzzzzzzzzzzzzz"}'::jsonb
            || jsonb_build_object('number', ${at}::int + 1))).*
          from audit_event original where ${here}`,
      ];
    case 'swap':
      return [
        sql`update audit_event set number = -number where log = ${log} and number in (${at}, ${how.other})`,
        sql`update audit_event set number = ${at}::int + ${how.other}::int + number
          where log = ${log} and number < 0`,
      ];
    case 'cut head':
      return [
        sql`update audit_log set number = ${at}::int - 1, hash = coalesce(
          (select hash from audit_event where log = ${log} and number = ${at}::int - 1), hash) where log = ${log}`,
      ];
    case 'other end':
      return [sql`update audit_log set hash = repeat('0', 64) where log = ${log}`];
    case 'raise start':
      return [
        sql`update audit_log set removed_number = ${at}, removed_hash = (
          select hash from audit_event where ${here}) where log = ${log}`,
      ];
    case 'forget':
      return [sql`delete from audit_log where log = ${log}`];
  }
}

test('verification detects any change of sealed events', async () => {
  const { id } = await logOf(service, EVENTS);
  expect(await verify(service, id)).toMatchObject({
    verified: EVENTS,
    unsealed: 0,
    head: { number: EVENTS },
  });
  expect((await verify(service, id)).fault).toBeUndefined();
  for (const column of Object.keys(COLUMNS))
    expect(
      await findChainFault(id, ...statementsOf(id, { kind: 'change', at: 4, column })),
      column,
    ).toBeDefined();
  for (const kind of [
    'delete',
    'insert',
    'truncate',
    'cut head',
    'other end',
    'raise start',
    'forget',
  ] as const)
    expect(await findChainFault(id, ...statementsOf(id, { kind, at: 4 })), kind).toBeDefined();
  await fc.assert(
    fc.asyncProperty(tampering, async (how) => {
      expect(await findChainFault(id, ...statementsOf(id, how))).toMatchObject({
        number: expect.any(Number),
        problem: expect.any(String),
      });
    }),
    { numRuns: RUNS },
  );
});

test('verification detects a changed event with a recomputed hash, at the event after it', async () => {
  const { id } = await logOf(service, 3);
  const { db } = service.runtime.database;
  const [first, second] = await db
    .selectFrom('audit_event')
    .select(columnsOf(AuditEvent))
    .where('log', '=', id)
    .orderBy('number')
    .execute();
  const previous = { number: 1, hash: first?.hash as string };
  const [forged] = seal(previous, [{ ...(second as AuditRow), action: 'space.deleted' }]);
  expect(
    await findChainFault(
      id,
      sql`update audit_event set action = 'space.deleted', hash = ${forged?.hash} where id = ${second?.id}`,
    ),
  ).toMatchObject({ number: 3 });
});

test('verification reports the first broken event, unsealed events, and a log that ends before the noted place', async () => {
  const { id, me } = await logOf(service, 3);
  const noted = (await verify(service, id)).head;
  await me.patch(`/orgs/${id}`, { title: 'Late' });
  const [late] = await audited(me, id);
  expect(await verify(service, id)).toMatchObject({ verified: 3, unsealed: 1, oldestUnsealed: late?.id });
  const second = (await audited(me, id)).at(-2)?.id;
  expect(await findChainFault(id, sql`update audit_event set action = 'x' where id = ${second}`)).toEqual({
    number: 2,
    id: second,
    problem: 'differs from what was sealed, or is not in its place',
  });
  const { db } = service.runtime.database;
  expect((await verifyAuditLog(db, id, { anchor: noted })).fault).toBeUndefined();
  const other = { number: 2, hash: noted.hash };
  expect((await verifyAuditLog(db, id, { anchor: other })).fault).toMatchObject({ number: 2 });
  const beyond = { ...noted, number: 9 };
  expect((await verifyAuditLog(db, id, { anchor: beyond })).fault).toMatchObject({ number: 9 });
});

test('verification starts from the last removed event after old events were removed', async () => {
  const { id } = await logOf(service, 4);
  const { database, services } = service.runtime;
  const context = jobContext(database, { ...services, auditRetention: 30 });
  await removeOldAuditEvents(context);
  expect(await verify(service, id)).toMatchObject({ verified: 4, removed: 0 });
  // The times of events are in their ids, which are sealed: to make the events old, the clock is moved.
  const in31Days = Date.now() + 31 * 24 * 60 * 60 * 1000;
  const now = Date.now;
  Date.now = () => in31Days;
  try {
    await removeOldAuditEvents(jobContext(database, { ...services, auditRetention: 0 }));
    expect(await verify(service, id)).toMatchObject({ verified: 4, removed: 0 });
    await removeOldAuditEvents(context);
  } finally {
    Date.now = now;
  }
  const after = await verify(service, id);
  expect(after).toMatchObject({ verified: 1, removed: 3, head: { number: 4 } });
  expect(after.fault).toBeUndefined();
  expect(
    await findChainFault(id, sql`update audit_log set removed_number = 2 where log = ${id}`),
  ).toBeDefined();
});

test('verification goes on behind events that are removed meanwhile', async () => {
  const { id } = await logOf(service, 6);
  const { db } = service.runtime.database;
  const remove = (number: number) =>
    sql`
    with gone as (delete from audit_event where log = ${id} and number <= ${number} returning number, hash)
    update audit_log set removed_number = gone.number, removed_hash = gone.hash
    from gone where log = ${id} and gone.number = ${number}`.execute(db);
  const removals = [2, 3];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    // A batch after each of the first two reads.
    transformResult: async ({ result }) => {
      const number = removals.shift();
      if (number !== undefined) await remove(number);
      return result;
    },
  });
  const { head } = await verify(service, id);
  const verification = await verifyAuditLog(watched, id);
  expect(verification.fault).toBeUndefined();
  expect(verification).toMatchObject({ head, removed: 3, verified: head.number - 3 });
});

test('20 concurrent writers, some of whom commit late or not at all, produce one complete chain', async () => {
  const { id } = await logOf(service, 0);
  const { database } = service.runtime;
  let writing = true;
  const write = async (writer: number) => {
    for (let round = 0; round < 5; round++) {
      await database
        .transaction(async (em) => {
          recordEvent(em, { type: 'team.created', organization: id, team: `${writer}-${round}` });
          if (round === 3 && writer % 4 === 0) throw new Undone();
          // Before its events are written: it is older than those of others who commit first.
          await sql`select pg_sleep(${((writer * 7 + round * 3) % 10) / 200})`.execute(kyselyOf(em));
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undone)) throw error;
        });
    }
  };
  const writers = Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)));
  const sealers = [1, 2].map(async () => {
    while (writing) await sealAll(service);
  });
  await writers;
  writing = false;
  await Promise.all(sealers);
  await sealAll(service);
  const events = 20 * 5 - 5;
  const result = await verify(service, id);
  expect(result).toMatchObject({ verified: events, unsealed: 0, head: { number: events } });
  expect(result.fault).toBeUndefined();
});

test('an event whose transaction commits after later events were sealed is sealed after them', async () => {
  const { id, admin } = await logOf(service, 1);
  const { database } = service.runtime;
  let commit = () => {};
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const insert = sql`
    insert into audit_event (
      log, id, action, actor_type, actor_id, source, target_type, target_id, payload, created_at)
    select log, '0-' || substr(id, 3), action, actor_type, actor_id, source, target_type, target_id, payload, created_at
    from audit_event where log = ${id} limit 1`;
  const late = database.transaction(async (em) => {
    await insert.execute(kyselyOf(em));
    await held;
  });
  await expectOk(service.as(admin.token).patch(`/orgs/${id}`, { title: 'Younger' }));
  await sealAll(service);
  expect((await verify(service, id)).verified).toBe(2);
  commit();
  await late;
  expect((await verify(service, id)).unsealed).toBe(1);
  await sealAll(service);
  const result = await verify(service, id);
  expect(result).toMatchObject({ verified: 3, unsealed: 0 });
  expect(result.fault).toBeUndefined();
});
