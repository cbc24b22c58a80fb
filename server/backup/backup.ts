import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { FileStorage } from '../../routers/base/ports.ts';
import { referencedFiles } from '../../routers/content/garbage.operation.ts';
import type { Connection } from '../../schema/orm.config.ts';
import { ifPresent } from '../system-errors.ts';
import { VERSION } from '../version.ts';
import { type ArchiveWriter, writeArchive } from './archive.ts';
import {
  CHECKSUMS,
  type Checksums,
  type CopyResult,
  FILES,
  JOBS,
  MANIFEST,
  newManifest,
  type OnProgress,
  type Summary,
  summaryOf,
  TABLES,
} from './manifest.ts';
import { connectForCopying, kyselyOn, readMigrations, readSequences, readTables } from './tables.ts';

interface BackupOptions {
  connection: Connection;
  storage: FileStorage;
  onProgress: OnProgress;
  signal: AbortSignal;
}

/** What a backup contains, and what is missing in it. */
export interface BackupSummary extends Summary {
  /** Files that rows refer to but that are not in the storage, for example after a change of the data directory. */
  missingFiles: number;
}

/** Waiting and running jobs. Completed and failed ones, and the queues themselves, are not part of a backup. */
const OPEN_JOBS = `
  copy (
    select row_number() over (order by created_on), name, data, priority, group_id from pgboss.job
    where state in ('created', 'retry', 'active')
  ) to stdout`;

/**
 * Writes the whole installation into one file while it runs: a snapshot of every table, and the stored files, which are
 * streamed.
 * @throws Error if the file exists
 */
export async function backUp(
  path: string,
  { connection, storage, onProgress, signal }: BackupOptions,
): Promise<BackupSummary> {
  const client = await connectForCopying(connection);
  try {
    return await writeArchive(path, signal, async (archive) => {
      await client.query('begin isolation level repeatable read');
      const tables = await readTables(client);
      const names = tables.map(({ name, columns }) => ({ name, columns }));
      const manifest = newManifest({
        version: VERSION,
        migrations: await readMigrations(client),
        tables: names,
      });
      await archive.add(MANIFEST, jsonOf(manifest));
      // Listed after the snapshot was taken: a file is stored before any row refers to it.
      const stored: string[] = [];
      for await (const sha256 of storage.list()) stored.push(sha256);
      const total = tables.length + stored.length;
      let done = 0;
      const step = () => onProgress({ done: ++done, total });

      const checksums: Checksums = { tables: {}, jobs: null, sequences: {}, files: 0 };
      for (const { name, copyOut } of tables) {
        checksums.tables[name] = await copyOutTo(archive, `${TABLES}/${name}`, client, copyOut);
        step();
      }
      if (await hasQueues(client)) checksums.jobs = await copyOutTo(archive, JOBS, client, OPEN_JOBS);
      checksums.sequences = await readSequences(client);
      const missing = await referencedFiles(kyselyOn(client));
      // This also drops the temporary tables of `referencedFiles`.
      await client.query('rollback');
      for (const sha256 of stored) {
        const file = await openStored(storage, sha256);
        step();
        // Removed in the meantime.
        if (!file) continue;
        missing.delete(sha256);
        await archive.addStream(`${FILES}/${sha256}`, file.size, file.stream);
        checksums.files++;
      }
      await archive.add(CHECKSUMS, jsonOf(checksums));
      return { ...summaryOf(checksums), missingFiles: missing.size };
    });
  } finally {
    await client.end();
  }
}

const jsonOf = (value: object) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

async function copyOutTo(
  archive: ArchiveWriter,
  folder: string,
  client: pg.Client,
  statement: string,
): Promise<CopyResult> {
  const source = client.query(copyTo(statement));
  const sha256 = await archive.addParts(folder, source as AsyncIterable<Buffer>);
  return { rows: source.rowCount, sha256 };
}

/** Whether there are job queues: tools create them only when they need them. */
async function hasQueues(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    `select to_regclass('pgboss.job') is not null as has`,
  );
  return rows[0]?.has === true;
}

/** Opens a stored file, so that it stays readable even if it is removed. */
async function openStored(
  storage: FileStorage,
  sha256: string,
): Promise<{ size: number; stream: Readable } | undefined> {
  const size = await storage.size(sha256);
  const stream = size === undefined ? undefined : await ifPresent(storage.read(sha256));
  return stream && size !== undefined ? { size, stream } : undefined;
}
