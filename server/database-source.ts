import { parse, toClientConfig } from 'pg-connection-string';
import type { Logger } from '../routers/context.ts';
import type { Connection } from '../schema/orm.config.ts';
import type { Config } from './config.ts';
import { makeDataDirectory } from './embedded-postgres/data-directory.ts';
import { explain } from './embedded-postgres/errors.ts';
import { openEmbeddedDatabase } from './embedded-postgres/index.ts';

/** A database that runs, and by which way to reach it. */
export interface DatabaseSource {
  connection: Connection;
  /** False while an embedded database is down and being brought back. */
  available(): boolean;
  /** Lets go of it. The last process that uses an embedded database stops it. */
  close(): Promise<void>;
}

interface SourceOptions {
  /** A data directory has one service at a time, and any number of tools beside it. */
  role: 'service' | 'tool';
  logger: Logger;
  /** Told when the embedded database is gone for good. */
  onFailure?: (error: Error) => void;
}

/**
 * Finds the configured database, or starts the embedded one. Nothing here is heavy to import: a database can be made while
 * the rest of the service is still being read.
 */
export async function openDatabaseSource(
  { databaseUrl, dataDir }: Config,
  options: SourceOptions,
): Promise<DatabaseSource> {
  if (databaseUrl) {
    // Files are kept there all the same; a tool may have none to keep.
    if (options.role === 'service') await makeFilesOnlyDirectory(dataDir, options.logger);
    return { connection: parseDatabaseUrl(databaseUrl), available: () => true, close: async () => undefined };
  }
  const embedded = await openEmbeddedDatabase({ dataDir, ...options });
  return {
    connection: embedded.connection,
    available: () => embedded.available,
    close: () => embedded.close(),
  };
}

async function makeFilesOnlyDirectory(dataDir: string, logger: Logger): Promise<void> {
  try {
    await makeDataDirectory(dataDir, { embedded: false, logger });
  } catch (error) {
    throw explain(error, dataDir);
  }
}

/** Reads a `postgres://` address, with all that libpq's addresses may hold (a socket folder, `sslmode`). */
function parseDatabaseUrl(url: string): Connection {
  const { host, port, user, password, database, ssl } = toClientConfig(parse(url));
  return {
    host: host ?? 'localhost',
    ...(port !== undefined && { port }),
    ...(user !== undefined && { user }),
    ...(typeof password === 'string' && { password }),
    ...(ssl !== undefined && { ssl }),
    // The configuration accepts no address without one.
    database: database as string,
  };
}
