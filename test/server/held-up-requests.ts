import pg from 'pg';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { databaseOf } from './process-harness.ts';

/** A statement that keeps every request for organizations waiting until the connection is ended. */
export async function holdUp(dataDir: string): Promise<pg.Client> {
  const client = new pg.Client(await databaseOf(dataDir));
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query('lock table organization in access exclusive mode');
  return client;
}

/** Waits until a request is blocked; returns the process ids of the other database sessions at that time. */
export async function requestHeldUp(dataDir: string): Promise<number[]> {
  const client = new pg.Client(await databaseOf(dataDir));
  await client.connect();
  await untilBlocked((statement) => client.query(statement));
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}
