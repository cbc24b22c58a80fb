import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { IDLE_DATABASES, TEMPLATE_DATABASE } from './cluster.ts';
import { resetDatabase, resetIdleDatabase } from './reuse.ts';

/** The database of one test file, in the cluster that the whole run shares. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
  /** Restores all rows while nothing uses its connections. Returns false if that is impossible. */
  reset(): Promise<boolean>;
}

/**
 * Creates a migrated database, or an empty one. A migrated one that is dropped is reset and passed to the next file that
 * asks for one, in any process, because creating one takes a hundred times as long.
 */
export async function createTestDatabase({ empty = false, encoding = '' } = {}): Promise<TestDatabase> {
  const other = `encoding '${encoding}' locale_provider builtin builtin_locale 'C' locale 'C' template template0`;
  const name = empty
    ? await create(encoding && other)
    : ((await takeIdle()) ?? (await create(`template ${TEMPLATE_DATABASE} strategy file_copy`)));
  const url = urlOf(name);
  return {
    url,
    drop: () => (empty ? drop(name) : recycleOrDrop(name)),
    reset: async () => !empty && (await withConnection(url, resetIdleDatabase)),
  };
}

async function create(options: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withMaintenanceConnection((cluster) => cluster.query(`create database ${name} ${options}`));
  return name;
}

const drop = (name: string): Promise<void> =>
  withMaintenanceConnection(
    async (cluster) => void (await cluster.query(`drop database ${name} with (force)`)),
  );

/** The name of a database that has been reset for reuse; undefined if there is none. */
const takeIdle = (): Promise<string | undefined> =>
  withMaintenanceConnection(async (cluster) => {
    const { rows } = await cluster.query<{ name: string }>(`
      delete from ${IDLE_DATABASES} where name = (select name from ${IDLE_DATABASES} limit 1 for update skip locked)
      returning name`);
    return rows[0]?.name;
  });

async function recycleOrDrop(name: string): Promise<void> {
  if (!(await withConnection(urlOf(name), resetDatabase))) await drop(name);
  else
    await withMaintenanceConnection((cluster) =>
      cluster.query(`insert into ${IDLE_DATABASES} values ($1)`, [name]),
    );
}

const withMaintenanceConnection = <Result>(work: (cluster: pg.Client) => Promise<Result>): Promise<Result> =>
  withConnection(inject('clusterUrl'), work);

async function withConnection<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(name: string): string {
  const url = new URL(inject('clusterUrl'));
  url.pathname = `/${name}`;
  return url.href;
}
