import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadOrganization } from '../../routers/access/load.query.ts';
import { userProcedure } from '../../routers/access/procedures.ts';
import type { Context, Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import type { Actor } from '../../routers/base/principal.ts';
import { createCallerFactory, router } from '../../routers/base/trpc.ts';
import { objectReader } from '../../routers/branches/objects.operation.ts';
import { localEngines } from '../../routers/engine/tasks/engines.ts';
import { PREPARE, statement } from '../../routers/sql/statement.ts';
import { newId } from '../../schema/ids.ts';
import { preparingClient } from '../../server/database/prepared.ts';
import { actorOf } from '../helpers/actor.ts';
import type { Person } from '../helpers/builders.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { silentLogger } from '../helpers/logger.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

/** Statistics as in a large installation: for a table of a few rows, the choice of an index is arbitrary. */
async function grantsOfManyOrganizations(db: Db): Promise<void> {
  // The organizations, users, teams and spaces themselves are not needed for a plan.
  await sql`set local session_replication_role = replica`.execute(db);
  await sql`
    insert into permission (id, organization_id, user_id, team_id, space_id, role, created_at)
    select 'grant' || n, 'organization' || n % 500, case when n % 2 = 0 then 'user' || n % 2000 end,
      case when n % 2 = 1 then 'team' || n % 2000 end, 'space' || n, 'read', now()
    from generate_series(1, 20000) n`.execute(db);
  await sql`analyze permission`.execute(db);
}

const PREPARED = 'select name, statement from pg_prepared_statements';

describe('the frequent statements of a service', () => {
  let service: TestService;
  let admin: Person;
  let organizationId: string;
  let spaceId: string;
  beforeAll(async () => {
    service = await startTestService({ DATABASE_POOL: '2' });
    const organization = await service.build.organization();
    admin = organization.admin;
    organizationId = organization.id;
    spaceId = (await service.build.space(organizationId)).id;
  });
  afterAll(() => service.close());

  /** The statements that each of the two connections of a pool has prepared. */
  const prepared = (db: Db): Promise<string[][]> => {
    const on = async (connection: Db) =>
      (await sql<{ statement: string }>`${sql.raw(PREPARED)}`.execute(connection)).rows.map(
        (row) => row.statement,
      );
    // Nested, so that there are two connections.
    return db
      .connection()
      .execute((one) => db.connection().execute(async (two) => [await on(one), await on(two)]));
  };

  test('the frequent statements of a service are all prepared, and only once', async () => {
    const { get, post } = service.as(admin.token);
    const page = { operation: 'insert_page', title: 'Page', document: { markdown: 'Text.' } };
    expect((await post(`/spaces/${spaceId}/content`, { changes: [page] })).status).toBeLessThan(300);
    const changeRequest = await service.build.changeRequest(spaceId, { createdBy: admin.id });
    const paths = [
      `/spaces/${spaceId}`,
      `/orgs/${organizationId}`,
      `/orgs/${organizationId}/spaces`,
      `/spaces/${spaceId}/content/path/page`,
      `/spaces/${spaceId}/change-requests`,
      `/spaces/${spaceId}/change-requests/${changeRequest.number}`,
      `/spaces/${spaceId}/change-requests/${changeRequest.id}`,
    ];
    for (let round = 0; round < 3; round++) {
      for (const path of paths) expect((await get(path)).status).toBe(200);
    }
    const { db } = service.runtime.database;
    // A new object: those that were saved or read before are cached, also by earlier services.
    const hash = newId();
    await sql`insert into content_object (hash, kind, body, created_at) values (${hash}, 'document', '[]', now())`.execute(
      db,
    );
    await objectReader(db).read([hash]);
    const connections = await prepared(db);
    for (const texts of connections) expect(new Set(texts).size).toBe(texts.length);
    const statements = connections.flat();
    expect(statements.filter((text) => !text.endsWith(PREPARE))).toEqual([]);
    for (const part of [
      'from "api_token"',
      'from "organization"',
      'from "space" left join "member"',
      'left join "revision"',
      'from "space" where "space"."organization_id"',
      'from "content_object"',
      'change_request.number = ',
      'change_request.id = ',
      'from "change_request"',
    ]) {
      expect(statements.some((text) => text.includes(part)) ? '' : `${part} is not prepared`).toBe('');
    }
  });

  test('the frequent statements of a service do not multiply with the values that callers send', async () => {
    const { get } = service.as(admin.token);
    const list = (limit: number) => get(`/orgs/${organizationId}/spaces?limit=${limit}`);
    const all = async () => new Set((await prepared(service.runtime.database.db)).flat());
    for (let i = 0; i < 3; i++) await list(1);
    const before = await all();
    for (let limit = 2; limit < 10; limit++) expect((await list(limit)).status).toBe(200);
    const other = await service.build.organization();
    for (let i = 0; i < 3; i++) await service.as(other.admin.token).get(`/orgs/${other.id}/spaces`);
    expect(await all()).toEqual(before);
  });

  test('the frequent statements of a service are not prepared with DATABASE_PREPARE=false', async () => {
    const plain = await startTestService({ DATABASE_POOL: '2', DATABASE_PREPARE: 'false' });
    try {
      const organization = await plain.build.organization();
      const answer = await plain.as(organization.admin.token).get(`/orgs/${organization.id}/spaces`);
      expect(answer.status).toBe(200);
      expect(await prepared(plain.runtime.database.db)).toEqual([[], []]);
    } finally {
      await plain.close();
    }
  });

  test.for([
    ['a call', (text: string) => !text.includes('unnest')],
    ['a batch', (text: string) => text.includes('unnest')],
  ] as const)(
    'the frequent statements of a service find the grants of the caller and their teams by indexes, in %s',
    async ([, isIt]) => {
      const { db } = service.runtime.database;
      const other = await service.build.member(organizationId, 'read');
      expect(await loadOrganization(db, actorOf(admin.id), organizationId)).toBeDefined();
      const both = await Promise.all(
        [admin, other].map(({ id }) => loadOrganization(db, actorOf(id), organizationId)),
      );
      expect(both.map((access) => access?.member.role)).toEqual(['admin', 'read']);
      const grants = (await prepared(db)).flat().filter((text) => text.includes('json_build_array'));
      const text = grants.find(isIt) ?? '';
      const steps = await db.connection().execute(async (connection) => {
        await sql`begin`.execute(connection);
        try {
          await grantsOfManyOrganizations(connection);
          const plan =
            await sql<object>`explain (generic_plan) ${sql.raw(text.replace(PREPARE, ''))}`.execute(
              connection,
            );
          return JSON.stringify(plan.rows);
        } finally {
          await sql`rollback`.execute(connection);
        }
      });
      expect(steps).toContain('permission_of_user');
      expect(steps).toContain('permission_of_team');
    },
  );

  test('restart a transaction whose connection has lost them', async () => {
    const read = statement((db, id: string) => db.selectFrom('space').select('title').where('id', '=', id));
    let runs = 0;
    const calls = router({
      read: userProcedure.mutation(async ({ ctx }) => {
        await read(ctx.db, spaceId);
        if (++runs === 1) await sql`deallocate all`.execute(ctx.db);
        return read(ctx.db, spaceId);
      }),
    });
    const { db, transaction } = service.runtime.database;
    const actor = {
      kind: 'user',
      user: { id: 'me' },
      credential: { kind: 'token', id: 'token', scope: 'write' },
    } as Actor;
    const services = { engines: localEngines } as Services;
    const context = { authenticate: async () => actor, transaction, db, services } as Context;
    expect(await createCallerFactory(calls)(context).read()).toEqual([{ title: 'Space' }]);
    expect(runs).toBe(2);
  });
});

describe('a connection', () => {
  let database: TestDatabase;
  let Client: typeof pg.Client;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    Client = preparingClient(silentLogger);
    client = await connect();
    await client.query('create table thing (id int primary key, title text)');
    await client.query(`insert into thing values (1, 'one'), (2, 'two')`);
  });
  afterEach(async () => {
    await client.query('rollback');
    await client.query('drop table thing');
    await client.end();
  });

  async function connect(): Promise<pg.Client> {
    const connected = new Client({ connectionString: database.url });
    await connected.connect();
    return connected;
  }

  const text = `select * from thing where id = $1 ${PREPARE}`;
  const read = async (id: number, on = client) => (await on.query(text, [id])).rows[0];
  const prepared = async (on = client) =>
    (await on.query<{ name: string; statement: string }>(PREPARED)).rows;

  test('prepares marked statements once, and no others', async () => {
    expect(await read(1)).toEqual({ id: 1, title: 'one' });
    expect(await read(2)).toEqual({ id: 2, title: 'two' });
    await client.query('select $1::text', ['unmarked']);
    expect((await prepared()).map(({ statement }) => statement)).toEqual([text]);
  });

  test('prepares again after its session is reset', async () => {
    await read(1);
    await client.query('discard all');
    expect(await read(1)).toEqual({ id: 1, title: 'one' });
    expect(await read(2)).toEqual({ id: 2, title: 'two' });
    expect(await prepared()).toHaveLength(1);
  });

  test('prepares again after a migration changes the tables of a statement', async () => {
    await read(1);
    await client.query('alter table thing add column emoji text');
    expect(await read(1)).toEqual({ id: 1, title: 'one', emoji: null });
    expect(await read(2)).toEqual({ id: 2, title: 'two', emoji: null });
    expect(await prepared()).toHaveLength(2);
  });

  test('avoids a name that already exists in its session', async () => {
    await read(1);
    const [{ name } = { name: '' }] = await prepared();
    // As with a pooler that assigns the session of another process.
    const other = await connect();
    try {
      await other.query(`prepare "${name}" as select 'something else'`);
      expect(await read(1, other)).toEqual({ id: 1, title: 'one' });
      expect(await read(2, other)).toEqual({ id: 2, title: 'two' });
    } finally {
      await other.end();
    }
  });

  test('a connection passes on the error of a lost statement inside a transaction', async () => {
    await read(1);
    await client.query('begin');
    await client.query('deallocate all');
    await expect(read(1)).rejects.toMatchObject({ code: '26000' });
  });

  test('a connection passes on every other error, and keeps its prepared statements', async () => {
    const divide = `select 1 / $1::int ${PREPARE}`;
    await client.query(divide, [1]);
    await expect(client.query(divide, [0])).rejects.toMatchObject({ code: '22012' });
    await expect(client.query(`selekt ${PREPARE}`, [])).rejects.toMatchObject({ code: '42601' });
    await client.query(divide, [1]);
    expect(await prepared()).toHaveLength(1);
  });

  test('a connection that keeps losing its statements stops preparing, with a warning', async () => {
    const warnings: string[] = [];
    Client = preparingClient({ ...silentLogger, warn: (_details, message) => void warnings.push(message) });
    const pooled = await connect();
    try {
      for (let i = 0; i < 100; i++) {
        expect(await read(1, pooled)).toEqual({ id: 1, title: 'one' });
        await pooled.query('deallocate all');
      }
      await read(1, pooled);
      expect(await prepared(pooled)).toEqual([]);
      expect(warnings).toEqual(['the database keeps losing prepared statements: set DATABASE_PREPARE=false']);
    } finally {
      await pooled.end();
    }
  });

  test('prepares a limited number of statements', async () => {
    for (let i = 0; i < 600; i++) await client.query(`select ${i}::int ${PREPARE}`, []);
    expect((await prepared()).length).toBe(200);
    expect(await read(1)).toEqual({ id: 1, title: 'one' });
  });
});
