import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { resetDatabase } from '../helpers/reuse.ts';

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

/** The rows of all tables, and the values of all sequences. */
async function allRows(): Promise<Map<string, unknown>> {
  const { rows: relations } = await client.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
    where relkind in ('r', 'S') and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)`);
  const all = new Map<string, unknown>();
  for (const { name } of relations) {
    const { rows } = await client.query(`select * from ${name}`);
    all.set(name, rows.map((row) => JSON.stringify({ ...row, log_cnt: undefined })).sort());
  }
  return all;
}

test('a reused database has the same rows as a new one, whatever the previous test changed', async () => {
  const before = await allRows();
  expect(before.size).toBeGreaterThan(60);
  expect(before.get('migration')).not.toEqual([]);
  await client.query(
    `insert into organization (id, title, merge_rules, created_at) values ('o', 'O', '{}', now())`,
  );
  await client.query("update pgboss.queue set updated_on = '2000-01-01'");
  await client.query("set session_replication_role = 'replica'; delete from migration");
  await client.query("set session_replication_role = 'origin'; truncate member cascade");
  for (const [name] of before) if (name.endsWith('_seq')) await client.query('select nextval($1)', [name]);
  const changed = await allRows();
  for (const name of ['organization', 'migration', 'pgboss.queue'])
    expect(changed.get(name)).not.toEqual(before.get(name));
  const open = new pg.Client({ connectionString: database.url });
  open.on('error', () => undefined);
  await open.connect();
  await open.query('begin; lock table organization');

  expect(await resetDatabase(client)).toBe(true);
  expect(await allRows()).toEqual(before);
});

test.for([
  'create index on organization (title)',
  'alter table organization drop column title',
  'drop table member cascade',
])('a database is not reused after %s', async (statement) => {
  await client.query(statement);
  expect(await resetDatabase(client)).toBe(false);
});
