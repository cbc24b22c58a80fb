import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import { Kysely } from 'kysely';
import pg from 'pg';
import type { Logger } from '../../routers/base/context.ts';
import { type Db, kyselyOf } from '../../routers/base/db.ts';
import { type Connection, ormConfig } from '../../schema/orm.config.ts';
import type { Database } from '../../schema/rows.ts';
import { NoInstallationError } from '../failures.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { VERSION } from '../version.ts';
import { DatabaseClient } from './client.ts';
import { PooledDialect } from './database-driver.ts';
import { DatabasePool, type PoolLimits, type PoolState } from './database-pool.ts';
import { preparingClient } from './prepared.ts';

/** The database as the rest of the service uses it. */
export interface DatabaseHandle {
  /** For reads outside transactions, each on any connection of the pool. */
  db: Db;
  /** Runs work in one transaction with its own unit of work, flushed before the commit. */
  transaction<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>;
  /** For jobs, on separate connections: requests never wait for them, and their statements have no time limit. */
  background: Db;
  /** Whether a request would get a connection, and a response, within a second. */
  ready(): Promise<boolean>;
  /** The state of the connections, by pool. */
  pools(): Record<'requests' | 'background', PoolState>;
  close(): Promise<void>;
}

/** The oldest supported version of PostgreSQL, as `server_version_num`. */
const OLDEST_VERSION = 150_000;

/** Two processes that start at once must not migrate at once. Any constant will do; this is "colo" in ASCII. */
const MIGRATION_LOCK = 0x636f6c6f;

/** Time limit for connecting at the start, in milliseconds. */
const CONNECT_LIMIT = 5000;

/** How often to check whether another process is still migrating, in milliseconds. */
const LOCK_STEP = 250;

/** Time limit of the readiness check, in milliseconds; callers check again soon. */
const READY_LIMIT = 1000;

/** The number of connections for jobs and migrations, which seldom use more than one. */
const BACKGROUND_SIZE = 2;

export interface DatabaseOptions {
  /** The number of connections for requests. */
  poolSize: number;
  limits: PoolLimits;
  /** Whether frequent statements are prepared by name on their connections. */
  prepare: boolean;
  /** Runs last in every transaction, after its unit of work is flushed. */
  beforeCommit?: (em: SqlEntityManager) => Promise<void>;
  logger: Logger;
  tracing?: Tracing | undefined;
  /** Whether a database without an installation is an error. */
  mustExist?: boolean | undefined;
  /** The last migration to run, for restoring the data of an earlier version; by default, all of them. */
  migrateTo?: string | undefined;
}

/** Brings the schema up to date, and opens the pools and the unit of work. */
export async function openDatabase(
  connection: Connection,
  { poolSize, limits, prepare, beforeCommit, logger, tracing, mustExist, migrateTo }: DatabaseOptions,
): Promise<DatabaseHandle> {
  const unlimited = { wait: limits.wait, statement: 0, lock: 0 };
  const Client = prepare ? preparingClient(logger) : DatabaseClient;
  const open = (size: number, within: PoolLimits) =>
    new DatabasePool(connection, { size, limits: within, Client, logger, tracing });
  let requests = open(BACKGROUND_SIZE, unlimited);
  const orm = await MikroORM.init(ormConfig(connection, () => new PooledDialect(requests)));
  try {
    await migrate(orm, connection, { logger, mustExist, migrateTo });
  } finally {
    await orm.close();
  }
  // Requests have time limits; migrations and jobs have none.
  requests = open(poolSize, limits);
  await orm.connect();
  const jobs = open(BACKGROUND_SIZE, { ...unlimited, lock: limits.lock });
  const background = new Kysely<Database>({ dialect: new PooledDialect(jobs) });
  return {
    // One instance for the life of the process: it has no state but the pool.
    db: kyselyOf(orm.em.fork()),
    transaction: (work) =>
      // guard: connections-for-others
      requests.transaction(() =>
        orm.em.fork().transactional(async (em) => {
          const result = await work(em);
          if (beforeCommit) {
            await em.flush();
            await beforeCommit(em);
          }
          return result;
        }),
      ),
    background,
    ready: () => requests.responds(READY_LIMIT),
    pools: () => ({ requests: requests.state, background: jobs.state }),
    close: async () => {
      await Promise.all([orm.close(), background.destroy(), requests.end(), jobs.end()]);
    },
  };
}

/** Whether a first start has been completed, of whatever version. */
async function isInstalled(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query("select to_regclass('setting') is not null as found");
  if (!tables[0]?.found) return false;
  const { rows } = await client.query("select 1 from setting where key = 'secret'");
  return rows.length > 0;
}

/** Brings the schema up to date, one process at a time. */
async function migrate(
  orm: MikroORM,
  connection: Connection,
  { logger, mustExist, migrateTo }: Pick<DatabaseOptions, 'logger' | 'mustExist' | 'migrateTo'>,
): Promise<void> {
  const client = new pg.Client({
    ...(connection as pg.ClientConfig),
    // guard: database-connect-timeout
    connectionTimeoutMillis: CONNECT_LIMIT,
    query_timeout: CONNECT_LIMIT,
    keepAlive: true,
  });
  // A connection that breaks while idle fails at the next query.
  client.on('error', () => undefined);
  try {
    await client.connect().catch((error: Error) => {
      throw error.message === 'timeout expired' ? noResponseError(connection) : error;
    });
    await checkServer(client);
    if (mustExist && !(await isInstalled(client))) throw new NoInstallationError();
    await lockMigrations(client, logger);
    await checkSchema(orm);
    const pending = await orm.migrator.getPending();
    const due = pending.filter(({ name }) => migrateTo === undefined || name <= migrateTo);
    const { length: migrations } = due;
    if (migrations === 0) return;
    logger.info({ migrations }, 'updating the database schema');
    orm.migrator.on('migrated', ({ name }) => logger.debug({ migration: name }, 'database schema migrated'));
    await orm.migrator.up({ to: due.at(-1)?.name });
    logger.info({ migrations }, 'updated the database schema');
  } finally {
    // Ending the session also releases the lock.
    await client.end();
  }
}

const noResponseError = ({ host, port = 5432 }: Connection) =>
  new Error(`${host}:${port} did not respond within ${CONNECT_LIMIT / 1000} seconds.`);

/** Polls instead of waiting indefinitely: each query returns soon, or the connection is dead. */
async function lockMigrations(client: pg.Client, logger: Logger): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.locked) return;
    if (attempt === 0) logger.info({}, 'waiting for another process that migrates the database');
    await sleep(LOCK_STEP);
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; text: string; encoding: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as text,
       current_setting('server_encoding') as encoding`,
  );
  const [server] = rows;
  if (Number(server?.number) < OLDEST_VERSION)
    throw new Error(`PostgreSQL 15 or newer is required; this database is ${server?.text}.`);
  if (server?.encoding !== 'UTF8')
    throw new Error(
      `its encoding is ${server?.encoding}, and must be UTF8. Create it with: create database <name> encoding 'UTF8' template template0`,
    );
}

/** Rejects the schema of a newer version, for which this one would write invalid data. */
async function checkSchema(orm: MikroORM): Promise<void> {
  const executed = await orm.migrator.getExecuted();
  const known = new Set(await readdir(orm.config.get('migrations').path as string));
  const foreign = executed.find(({ name }) => !known.has(`${name}.ts`));
  if (foreign)
    throw new Error(
      `a newer version of Colophon has changed its schema (${foreign.name}), and this one, ${VERSION}, cannot use it. Start that version, or restore a backup from before the update.`,
    );
}
