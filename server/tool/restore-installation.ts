import type { OnProgress, Summary } from '../backup/manifest.ts';
import { restore } from '../backup/restore.ts';
import { readConfig } from '../config.ts';
import { openDatabaseSource } from '../database/database-source.ts';
import { openJobs } from '../jobs.ts';
import { openLogger } from '../logger.ts';
import { openConfiguredDatabase } from '../runtime.ts';
import { openFileStorage } from '../storage/storage.ts';
import type { InstallationOptions } from './options.ts';

interface RestoreOptions extends InstallationOptions {
  onProgress?: OnProgress;
  /** Ends it; nothing is left of it then. */
  signal?: AbortSignal;
}

/**
 * Restores a backup into the empty installation that the environment selects: an empty database and, for its files, a data
 * directory.
 * @throws Error with a sentence that says why it cannot be restored; nothing is left of it then
 */
export async function restoreInstallation(
  file: string,
  {
    environment = process.env,
    logger: given,
    onProgress = () => undefined,
    signal = new AbortController().signal,
  }: RestoreOptions = {},
): Promise<Summary> {
  const config = readConfig(environment);
  const logger =
    given ?? (await openLogger(environment.LOG_LEVEL ? config.logLevel : 'warn', process.stderr));
  const source = await openDatabaseSource(config, { role: 'tool', logger });
  try {
    const { connection } = source;
    // Only brings the schema up to date: nothing else is done with it before everything is restored.
    await (await openConfiguredDatabase(config, connection, { role: 'tool', logger })).close();
    const jobs = await openJobs(connection, logger);
    try {
      const storage = openFileStorage(config.dataDir);
      return await restore(file, { connection, storage, jobs, onProgress, signal });
    } finally {
      await jobs.close();
    }
  } finally {
    await source.close();
  }
}
