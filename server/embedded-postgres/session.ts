import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf } from '../../routers/base/error-code.ts';
import { USER } from './cluster.ts';
import { AlreadyRunningError, EmbeddedDatabaseError } from './errors.ts';
import type { Layout } from './layout.ts';
import { PORT } from './postmaster.ts';
import { isAlive } from './process.ts';

/** The role of a process: the only service of a data directory, or a command-line tool. */
export type Role = 'service' | 'tool';

/** The connection by which a process joins; its locks last as long as the session. */
export type Session = pg.Client;

// Advisory locks are per database; these are in "postgres", where nothing else uses any.
const PARTICIPANTS = 1;
const SERVICE = 2;

/** Connection options of the server; complete, so that PGSSLMODE, PGOPTIONS and the like, meant for others, do not apply. */
export const connectionAt = (socketDir: string, password: string) => ({
  host: socketDir,
  port: PORT,
  user: USER,
  password,
  database: USER,
  ssl: false,
  options: '-c search_path=public',
});

/** How long the session of a killed service may take to end before its lock is taken for that of another service. */
const HANDOVER_MS = 5_000;

/**
 * Connects to the cluster and registers this process as one that uses it.
 * @returns undefined if the server is stopping or restarting: start over
 * @throws AlreadyRunningError if `role` is "service" and another service uses the data directory
 */
export async function join(
  layout: Layout,
  socketDir: string,
  password: string,
  role: Role,
): Promise<Session | undefined> {
  const client = new pg.Client({
    ...connectionAt(socketDir, password),
    database: 'postgres',
    application_name: `colophon ${role} ${process.pid}`,
  });
  let broken = false;
  client.on('error', () => {
    broken = true;
  });
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [PARTICIPANTS]);
    if (role === 'service') await becomeService(client, layout.dataDir);
    await ensureDatabase(client);
    return client;
  } catch (error) {
    await client.end();
    if (broken || isTransient(error)) return undefined;
    if (codeOf(error) !== '28P01') throw error;
    throw new EmbeddedDatabaseError(
      `The password in ${layout.passwordFile} is not that of the database. Stop the database and delete the file to get ` +
        'a new one.',
      { cause: error },
    );
  }
}

/**
 * Deregisters this process from the cluster.
 * @returns the session if this process was the last one: it makes new processes wait until the server is stopped
 */
export async function leave(session: Session, role: Role): Promise<Session | undefined> {
  if (role === 'service') await session.query('SELECT pg_advisory_unlock($1)', [SERVICE]);
  await session.query('SELECT pg_advisory_unlock_shared($1)', [PARTICIPANTS]);
  const { rows } = await session.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
    PARTICIPANTS,
  ]);
  if (rows[0]?.last) return session;
  await session.end();
  return undefined;
}

async function becomeService(client: pg.Client, dataDir: string): Promise<void> {
  const deadline = performance.now() + HANDOVER_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      SERVICE,
    ]);
    if (rows[0]?.taken) return;
    const pid = await serviceHoldingLock(client);
    if ((pid && isAlive(pid)) || performance.now() > deadline) throw new AlreadyRunningError(dataDir, pid);
    await sleep(50);
  }
}

/** The process id of the service that holds the lock; undefined if it has just released it. */
async function serviceHoldingLock(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND granted`,
    [SERVICE],
  );
  const pid = Number(rows[0]?.application_name.split(' ').at(-1));
  return pid > 0 ? pid : undefined;
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [USER]);
  if (rowCount) return;
  try {
    await client.query(`CREATE DATABASE ${USER}`);
  } catch (error) {
    // Another process was faster: the database already exists.
    if (codeOf(error) !== '42P04' && codeOf(error) !== '23505') throw error;
  }
}

/** Whether an error comes from a server that is stopping, starting or dead. */
function isTransient(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  if (['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT'].includes(code))
    return true;
  return error instanceof Error && error.message.startsWith('Connection terminated');
}
