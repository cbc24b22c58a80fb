import { ensureCluster } from './cluster.ts';
import { makeDataDirectory } from './data-directory.ts';
import { EmbeddedDatabaseError, explain } from './errors.ts';
import { dataFiles, prepareLayout } from './layout.ts';
import type { Logger } from './logger.ts';
import { joinServer } from './membership.ts';
import type { connectionAt, Role } from './session.ts';
import { withStartLock } from './start-lock.ts';

export type EmbeddedDatabaseOptions = {
  /** The data directory of the service, which is created if it does not exist. */
  dataDir: string;
  logger: Logger;
  /** A data directory is used by one service at a time, and by any number of tools, with or without a service. */
  role: Role;
  /** False for tests: faster, but lost if the machine crashes. Only the process that starts the server sets it. */
  durable?: boolean;
  /** Called with false when the server has died, and with true when it is back. */
  onAvailability?: (available: boolean) => void;
  /** Called once if the server cannot be restarted, or another service has taken over. */
  onFailure?: (error: Error) => void;
  /** If we are root: the folder for databases and programs that PostgreSQL's user could not access otherwise. */
  systemDir?: string;
  /** How often a crashing server is restarted, unless it has run for a minute in between; default 10. */
  restartLimit?: number;
};

export type EmbeddedDatabase = {
  /** Connection options for pg; `host` is the directory of a Unix socket. Stays valid across restarts. */
  connection: ReturnType<typeof connectionAt>;
  /** False while the server is down and being restarted. */
  readonly available: boolean;
  /** Leaves, and stops the server if no other process uses it. Close the pools first. Never rejects. */
  close: () => Promise<void>;
};

/**
 * Opens the PostgreSQL of a data directory: creates it, starts its server or joins the running one, and supervises it
 * until `close`. All processes on the data directory share one server; the last to leave stops it.
 * @throws AlreadyRunningError if another service uses the data directory
 * @throws EmbeddedDatabaseError, with a message for the operator, if the server cannot be created or started
 */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  try {
    return await open(options);
  } catch (error) {
    throw explain(error, options.dataDir);
  }
}

async function open(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const { logger, durable = true, systemDir = '/var/lib/colophon', restartLimit = 10 } = options;
  if (process.platform === 'win32') {
    throw new EmbeddedDatabaseError(
      'There is no embedded PostgreSQL on Windows. Set DATABASE_URL to your own PostgreSQL.',
    );
  }
  const dataDir = await makeDataDirectory(options.dataDir, { embedded: true, logger });
  const files = await dataFiles(dataDir);
  const prepared = await withStartLock(files.lockFile, files.owner, async () => {
    const layout = await prepareLayout(dataDir, files, systemDir, logger);
    return { layout, password: await ensureCluster(layout, durable, logger) };
  });
  return joinServer({ ...options, ...prepared, durable, restartLimit });
}
