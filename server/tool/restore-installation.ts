import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnProgress, Summary } from '../backup/manifest.ts';
import { readManifest, restore } from '../backup/restore.ts';
import { openDatabaseSource } from '../database/database-source.ts';
import { openJobs } from '../jobs.ts';
import { openConfiguredDatabase } from '../runtime.ts';
import { removeEmptyFolders } from '../storage/folder-storage.ts';
import { openFileStorage } from '../storage/storage.ts';
import { ifPresent } from '../system-errors.ts';
import { type InstallationOptions, readOptions } from './options.ts';

interface RestoreOptions extends InstallationOptions {
  onProgress?: OnProgress;
  /** Aborts the restore, which then leaves nothing behind. */
  signal?: AbortSignal;
}

/**
 * Restores a backup into the empty installation that the environment selects: an empty database and, for its files, a data
 * directory.
 * @throws Error with a sentence that says why it cannot be restored; nothing is left behind then
 */
export async function restoreInstallation(
  file: string,
  { onProgress = () => undefined, signal = new AbortController().signal, ...options }: RestoreOptions = {},
): Promise<Summary> {
  const { config, logger } = await readOptions(options);
  const source = await openDatabaseSource(config, { role: 'tool', logger });
  try {
    const { connection } = source;
    const migrate = async (migrateTo?: string) => {
      const database = await openConfiguredDatabase(config, connection, { role: 'tool', logger, migrateTo });
      await database.close();
    };
    // Rows fit only the schema of the backup: later migrations run after the restore.
    const { migrations } = await readManifest(file, signal);
    await migrate(migrations.at(-1));
    const jobs = await openJobs(connection, logger);
    try {
      const storage = await openFileStorage(config);
      const folder = join(config.dataDir, 'files');
      // One that exists may be in use.
      const isNewFolder = !config.bucket && !(await ifPresent(stat(folder)));
      const summary = await restore(file, { connection, storage, jobs, onProgress, signal }).catch(
        async (error: unknown) => {
          if (isNewFolder) await removeEmptyFolders(folder);
          throw error;
        },
      );
      await migrate();
      return summary;
    } finally {
      await jobs.close();
    }
  } finally {
    await source.close();
  }
}
