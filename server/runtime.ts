import type { Logger } from 'pino';
import type { Services } from '../routers/context.ts';
import { bootstrap } from '../routers/installation/bootstrap.operation.ts';
import { createSigner } from '../routers/signer.ts';
import { createUrls } from '../routers/urls.ts';
import type { Connection } from '../schema/orm.config.ts';
import type { Config } from './config.ts';
import { type DatabaseHandle, migrate, openDatabase, parseDatabaseUrl } from './database.ts';
import { openEmbeddedDatabase } from './embedded-postgres/index.ts';
import { type JobRunner, openJobs } from './jobs.ts';
import { openFileStorage } from './storage.ts';

/** The running installation below HTTP: what the service and the command line share. */
export interface Runtime {
  database: DatabaseHandle;
  services: Services;
  jobs: JobRunner;
  /** False while the database is down; requests are then answered with 503. */
  available(): boolean;
  /** The base of addresses in answers. */
  publicUrl: string;
  /** The first admin token, when this start made it. */
  adminToken?: string;
  close(): Promise<void>;
}

interface RuntimeOptions {
  /** A data directory has one service at a time, and any number of tools beside it. */
  role: 'service' | 'tool';
  logger: Logger;
  /** Told when the embedded database is gone for good. */
  onFailure?: (error: Error) => void;
}

/** Opens the database (starting the embedded one unless another is configured), migrates it, and makes it usable. */
export async function openRuntime(
  config: Config,
  { role, logger, onFailure }: RuntimeOptions,
): Promise<Runtime> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.reverse().splice(0)) await closer();
  };
  try {
    const { connection, available } = await connect(config, role, logger, closers, onFailure);
    await migrate(connection, logger);
    const database = await openDatabase(connection, config.databasePool);
    closers.push(() => database.close());
    const { secret, adminToken } = await database.transaction((em) => bootstrap(em, config.bootstrapToken));
    const jobs = await openJobs(connection, logger);
    closers.push(() => jobs.close());
    const runtime: Runtime = {
      database,
      jobs,
      available,
      adminToken,
      publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
      close,
      services: {
        urls: createUrls(() => runtime.publicUrl),
        signer: createSigner(secret),
        storage: openFileStorage(config.dataDir),
        jobs,
        logger,
      },
    };
    return runtime;
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(
  config: Config,
  role: RuntimeOptions['role'],
  logger: Logger,
  closers: (() => Promise<void>)[],
  onFailure: RuntimeOptions['onFailure'],
): Promise<{ connection: Connection; available: () => boolean }> {
  if (config.databaseUrl) return { connection: parseDatabaseUrl(config.databaseUrl), available: () => true };
  const embedded = await openEmbeddedDatabase({ dataDir: config.dataDir, role, logger, onFailure });
  closers.push(() => embedded.close());
  return { connection: embedded.connection, available: () => embedded.available };
}
