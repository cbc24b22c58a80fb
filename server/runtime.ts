import { availableParallelism } from 'node:os';
import type { Logger, Services } from '../routers/context.ts';
import { localEngines } from '../routers/engine/tasks/engines.ts';
import { followers } from '../routers/followers.ts';
import { bootstrap } from '../routers/installation/bootstrap.operation.ts';
import { createSigner } from '../routers/signer.ts';
import { createUrls } from '../routers/urls.ts';
import type { Connection } from '../schema/orm.config.ts';
import { type Config, publicUrlOf } from './config.ts';
import { type DatabaseHandle, openDatabase } from './database.ts';
import { type DatabaseSource, openDatabaseSource } from './database-source.ts';
import { openPool, type Pool, type PoolOptions } from './engine/pool.ts';
import { messageOf, StartError } from './failures.ts';
import { type JobRunner, openJobs } from './jobs.ts';
import { openOutbound } from './outbound.ts';
import { atMost } from './shutdown.ts';
import { openFileStorage, tidyFileStorage } from './storage.ts';

/** Connections of the pool that still work get this long to be given back, in milliseconds. */
const POOL_CLOSE_LIMIT = 500;

/** Large tasks on content: as many at once as leaves a processor to everybody else. */
const POOL: PoolOptions = {
  workers: Math.max(1, Math.min(2, availableParallelism() - 1)),
  memory: 2048,
  time: 30_000,
  idle: 30_000,
  waiting: 100,
  waitingOfOne: 20,
};

/** The running installation below HTTP: what the service and the command line share. */
export interface Runtime {
  database: DatabaseHandle;
  services: Services;
  jobs: JobRunner;
  /** Where a service does large tasks on content; a tool does them itself. */
  pool: Pool | undefined;
  /** False while the database is down; requests are then answered with 503. */
  available(): boolean;
  /** The base of addresses in answers. */
  publicUrl: string;
  /** The first admin token, when this start made it. */
  adminToken?: string;
  /** Gives everything back. The last process that uses an embedded database stops it. */
  close(): Promise<void>;
}

interface RuntimeOptions {
  role: 'service' | 'tool';
  logger: Logger;
  /** The database, where it is open already; the runtime closes it. */
  source?: DatabaseSource;
}

/** Opens the database unless that is done, migrates it, and makes it usable. */
export async function openRuntime(
  config: Config,
  { role, logger, source }: RuntimeOptions,
): Promise<Runtime> {
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const closer of closers.reverse()) {
      // What cannot be closed must not keep the rest open.
      await closer().catch((error: unknown) => logger.error({ err: error }, 'not closed cleanly'));
    }
  };
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeAll());
  try {
    const {
      connection,
      available,
      close: leave,
    } = source ?? (await openDatabaseSource(config, { role, logger }));
    closers.push(leave);
    const database = await open(config, connection, role, logger);
    closers.push(() => atMost(POOL_CLOSE_LIMIT, database.close()));
    const openQueues = () => openJobs(connection, logger);
    const jobs = role === 'service' ? await openQueues() : whenNeeded(openQueues);
    closers.push(() => jobs.close());
    if (role === 'service') await tidyFileStorage(config.dataDir);
    const pool = role === 'service' ? openPool(POOL) : undefined;
    // Before the database: what is under way gives its connection back.
    if (pool) closers.push(() => pool.close());
    // Last, so that nothing fails between the making of the admin token and its being shown.
    const { secret, adminToken } = await database.transaction((em) => bootstrap(em, config.bootstrapToken));
    const runtime: Runtime = {
      database,
      jobs,
      pool,
      available,
      adminToken,
      publicUrl: publicUrlOf(config),
      close,
      services: {
        urls: createUrls(() => runtime.publicUrl),
        signer: createSigner(secret),
        storage: openFileStorage(config.dataDir),
        jobs,
        followers,
        outbound: openOutbound({ allowed: config.outboundAllow }),
        logger,
        engines: pool ?? localEngines,
      },
    };
    return runtime;
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  config: Config,
  connection: Connection,
  role: RuntimeOptions['role'],
  logger: Logger,
): Promise<DatabaseHandle> {
  // A tool does one thing, as an import, and nobody waits for its connection.
  const statement = role === 'service' ? config.databaseTimeout : 0;
  const limits = { wait: config.databaseWait, statement };
  try {
    const { databasePool: poolSize, databasePrepare: prepare } = config;
    return await openDatabase(connection, { poolSize, limits, prepare, logger });
  } catch (error) {
    if (!config.databaseUrl) throw error;
    throw new StartError(`the database of DATABASE_URL cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Tools work no jobs and seldom enqueue any: opening the queues waits for the first. */
function whenNeeded(open: () => Promise<JobRunner>): JobRunner {
  let opening: Promise<JobRunner> | undefined;
  const opened = () => (opening ??= open());
  return {
    enqueue: async (...job) => (await opened()).enqueue(...job),
    work: async (context) => (await opened()).work(context),
    close: async (timeout) => (await opening?.catch(() => undefined))?.close(timeout),
  };
}
