import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { type Db, kyselyOf, type Logger } from '../routers/context.ts';
import { type Connection, ormConfig } from '../schema/orm.config.ts';
import { preparingClient } from './prepared.ts';

/** The database as the rest of the service uses it. */
export interface DatabaseHandle {
  /** Reads outside transactions, each on any connection of the pool. */
  db: Db;
  /** Runs work in one transaction with its own unit of work, flushed before the commit. */
  transaction<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>;
  /** Whether the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** The oldest PostgreSQL that is supported, as `server_version_num`. */
const OLDEST_VERSION = 150_000;

/** Two processes that start at once must not migrate at once. Any constant does; this is "colo" in ASCII. */
const MIGRATION_LOCK = 0x636f6c6f;

/**
 * Opens the pool and the unit of work, and brings the schema up to date.
 * @param prepare whether hot statements are prepared by name on their connections.
 */
export async function openDatabase(
  connection: Connection,
  poolSize: number,
  logger: Logger,
  prepare = true,
): Promise<DatabaseHandle> {
  const client = prepare ? preparingClient(logger) : undefined;
  const orm = await MikroORM.init(ormConfig(connection, poolSize, client));
  try {
    await migrate(orm, connection, logger);
  } catch (error) {
    await orm.close();
    throw error;
  }
  return {
    // One instance for the life of the process: it holds no state but the pool.
    db: kyselyOf(orm.em.fork()),
    transaction: (work) => orm.em.fork().transactional((em) => work(em)),
    ping: () => orm.isConnected(),
    close: () => orm.close(),
  };
}

/** Brings the schema up to date, one process at a time. */
async function migrate(orm: MikroORM, connection: Connection, logger: Logger): Promise<void> {
  const client = new pg.Client(connection as pg.ClientConfig);
  await client.connect();
  try {
    await checkVersion(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    orm.migrator.on('migrated', ({ name }) => logger.info({ migration: name }, 'database schema migrated'));
    await orm.migrator.up();
  } finally {
    // Ending the session also gives the lock back.
    await client.end();
  }
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; text: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as text`,
  );
  if (Number(rows[0]?.number) < OLDEST_VERSION) {
    throw new Error(`PostgreSQL 15 or newer is needed; this database is ${rows[0]?.text}.`);
  }
}
