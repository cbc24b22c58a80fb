import { parse, toClientConfig } from 'pg-connection-string';
import type { Logger } from '../../routers/base/context.ts';
import type { Connection } from '../../schema/orm.config.ts';
import type { Config } from '../config.ts';
import { makeDataDirectory } from '../embedded-postgres/data-directory.ts';
import { explain } from '../embedded-postgres/errors.ts';
import { openEmbeddedDatabase } from '../embedded-postgres/index.ts';

/** A running database, and how to connect to it. */
export interface DatabaseSource {
  connection: Connection;
  /** False while an embedded database is being restarted. */
  available(): boolean;
  /** Releases it. The last process that uses an embedded database stops it. */
  close(): Promise<void>;
}

interface SourceOptions {
  /** A data directory is used by one service at a time, and any number of tools. */
  role: 'service' | 'tool';
  logger: Logger;
  /** Called if the embedded database cannot be restarted. */
  onFailure?: (error: Error) => void;
}

/**
 * Finds the configured database, or starts the embedded one. Has only light imports, so that a database can be created
 * while the rest of the service is still loading.
 */
export async function openDatabaseSource(
  { databaseUrl, dataDir }: Config,
  options: SourceOptions,
): Promise<DatabaseSource> {
  if (databaseUrl) {
    // A service stores files there; a tool may not need the directory.
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

/** Values of `sslmode` that the parser reads as `verify-full`, with a warning on standard error. */
const VERIFYING_MODES = ['prefer', 'require', 'verify-ca'];

/** Parses a `postgres://` URL, whose parameters may be `host` (a socket folder), `sslmode` and its files, and `options`. */
function parseDatabaseUrl(given: string): Connection {
  const url = new URL(given);
  const { searchParams } = url;
  if (VERIFYING_MODES.includes(searchParams.get('sslmode') ?? '') && !searchParams.has('uselibpqcompat'))
    searchParams.set('sslmode', 'verify-full');
  const { host, port, user, password, database, ssl, options } = toClientConfig(parse(url.href));
  return {
    host: host ?? 'localhost',
    ...(port !== undefined && { port }),
    ...(user !== undefined && { user }),
    ...(typeof password === 'string' && { password }),
    ...(ssl !== undefined && { ssl }),
    ...(options !== undefined && { options }),
    // The configuration rejects URLs without one.
    database: database as string,
  };
}
