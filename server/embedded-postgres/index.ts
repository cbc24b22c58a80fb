import { setTimeout as sleep } from 'node:timers/promises';
import { ensureCluster } from './cluster.ts';
import { makeDataDirectory } from './data-directory.ts';
import { AlreadyRunningError, EmbeddedDatabaseError, explain } from './errors.ts';
import { dataFiles, prepareLayout } from './layout.ts';
import type { Logger } from './logger.ts';
import { ensureRunning, stopPostmaster } from './postmaster.ts';
import { connectionAt, join, leave, type Role, type Session } from './session.ts';
import { withStartLock } from './start-lock.ts';

export { AlreadyRunningError } from './errors.ts';

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

/** A server that has run this long is not in a crash loop. */
const STABLE_MS = 60_000;

/** How long a running server may refuse connections, as it does while recovering from the crash of a session. */
const JOIN_LIMIT_MS = 60_000;

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
  const { logger, role, durable = true, systemDir = '/var/lib/colophon', restartLimit = 10 } = options;
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
  const { layout, password } = prepared;

  /** Starts the server if necessary and joins it; starts over if the running server is about to stop. */
  const startAndJoin = async (before?: string): Promise<{ session: Session; socketDir: string }> => {
    const deadline = performance.now() + JOIN_LIMIT_MS;
    for (;;) {
      const found = await withStartLock(files.lockFile, files.owner, () =>
        ensureRunning(layout, durable, logger, before),
      );
      const joined = await join(layout, found, password, role);
      if (joined) return { session: joined, socketDir: found };
      if (performance.now() > deadline) {
        throw new EmbeddedDatabaseError(
          `PostgreSQL is running, but does not respond on its socket in ${found}.`,
        );
      }
      await sleep(20);
    }
  };

  let { session, socketDir } = await startAndJoin();
  let available = true;
  let closing: Promise<void> | undefined;
  let recovery: Promise<void> | undefined;
  let restarts = 0;
  let lastStart = performance.now();

  const setAvailable = (value: boolean) => {
    available = value;
    options.onAvailability?.(value);
  };

  const watch = () => {
    session.once('end', () => {
      if (!closing) recovery = recover();
    });
  };

  const rejoin = async (): Promise<void> => {
    const joined = await startAndJoin(socketDir);
    if (joined.socketDir !== socketDir) {
      await joined.session.end();
      throw new EmbeddedDatabaseError(`The database's socket has moved to ${joined.socketDir}.`);
    }
    session = joined.session;
    lastStart = performance.now();
    watch();
  };

  /** Restarts the server; resolves when it is back, when giving up, or when closing. */
  const recover = async (): Promise<void> => {
    setAvailable(false);
    if (performance.now() - lastStart > STABLE_MS) restarts = 0;
    let failure = new EmbeddedDatabaseError(`PostgreSQL exited ${restartLimit} times in a row.`);
    while (restarts < restartLimit && !(failure instanceof AlreadyRunningError)) {
      await sleep(restarts === 0 ? 0 : Math.min(5_000, 100 * 2 ** restarts));
      if (closing) return;
      restarts += 1;
      logger.warn({ restarts }, 'lost the connection to PostgreSQL; restarting it');
      try {
        await rejoin();
        setAvailable(true);
        return;
      } catch (error) {
        logger.error({ err: error }, 'PostgreSQL could not be restarted');
        failure = explain(error, dataDir);
      }
    }
    options.onFailure?.(failure);
  };

  const close = async (): Promise<void> => {
    await recovery;
    if (!available) return;
    available = false;
    try {
      const last = await leave(session, role);
      if (!last) return;
      const stopped = await stopPostmaster(layout);
      if (!stopped) logger.warn({ cluster: layout.cluster }, 'PostgreSQL did not stop');
      await last.end();
    } catch (error) {
      logger.error({ err: error }, 'PostgreSQL was not shut down cleanly');
    }
  };

  watch();
  return {
    connection: connectionAt(socketDir, password),
    get available() {
      return available;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
