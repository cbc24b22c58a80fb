import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { IDLE, TEMPLATE } from './cluster.ts';
import { putBack } from './reuse.ts';

/** A database of one test file, in the cluster of the whole run. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * Gives a database that has been migrated, or an empty one. A migrated one that is dropped goes to the next file that asks
 * for one, in whichever process, with the rows of a new one: creating it takes a hundred times as long.
 */
export async function createTestDatabase({ empty = false, encoding = '' } = {}): Promise<TestDatabase> {
  const other = `encoding '${encoding}' locale_provider builtin builtin_locale 'C' locale 'C' template template0`;
  const name = empty
    ? await create(encoding && other)
    : ((await takeIdle()) ?? (await create(`template ${TEMPLATE} strategy file_copy`)));
  return { url: urlOf(name), drop: () => (empty ? drop(name) : putBackOrDrop(name)) };
}

async function create(options: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer((cluster) => cluster.query(`create database ${name} ${options}`));
  return name;
}

const drop = (name: string): Promise<void> =>
  administer(async (cluster) => void (await cluster.query(`drop database ${name} with (force)`)));

/** The name of a database that was put back; undefined if there is none. */
const takeIdle = (): Promise<string | undefined> =>
  administer(async (cluster) => {
    const { rows } = await cluster.query<{ name: string }>(`
      delete from ${IDLE} where name = (select name from ${IDLE} limit 1 for update skip locked)
      returning name`);
    return rows[0]?.name;
  });

async function putBackOrDrop(name: string): Promise<void> {
  if (!(await connected(urlOf(name), putBack))) await drop(name);
  else await administer((cluster) => cluster.query(`insert into ${IDLE} values ($1)`, [name]));
}

const administer = <Result>(work: (cluster: pg.Client) => Promise<Result>): Promise<Result> =>
  connected(inject('clusterUrl'), work);

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
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
