import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { z } from 'zod';
import type { FileStorage, Jobs } from '../../routers/base/ports.ts';
import { BOOTSTRAP_LOCK } from '../../routers/installation/bootstrap.operation.ts';
import type { Connection } from '../../schema/orm.config.ts';
import { isJob, type JobRunner } from '../jobs.ts';
import { ifPresent } from '../system-errors.ts';
import { VERSION } from '../version.ts';
import { ArchiveError, type ArchiveReader, readArchive } from './archive.ts';
import {
  CHECKSUMS,
  Checksums,
  type CopyResult,
  FORMAT,
  JOBS,
  MANIFEST,
  Manifest,
  ManifestFormat,
  type OnProgress,
  type Summary,
  summaryOf,
  TABLES,
} from './manifest.ts';
import {
  connectForCopying,
  dropForeignKeys,
  findTableWithRows,
  kyselyOn,
  readMigrations,
  readTables,
  setSequences,
  type Table,
} from './tables.ts';

interface RestoreOptions {
  connection: Connection;
  storage: FileStorage;
  jobs: JobRunner;
  onProgress: OnProgress;
  signal: AbortSignal;
}

/** The number of jobs enqueued at once. */
const BATCH = 1000;

/** The backup cannot be restored into this installation. */
class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/**
 * Reads the manifest of a backup.
 * @throws RestoreError if there is no such file, ArchiveError if it is not a backup
 */
export async function readManifest(path: string, signal: AbortSignal): Promise<Manifest> {
  await sizeOf(path);
  return readArchive(path, { signal, onBytes: () => undefined }, parseManifest);
}

async function parseManifest(archive: ArchiveReader): Promise<Manifest> {
  const manifest = await readJson(archive, MANIFEST);
  const format = ManifestFormat.safeParse(manifest);
  if (!format.success) throw new ArchiveError('it was not written by Colophon');
  if (format.data.formatVersion > FORMAT)
    throw new ArchiveError('it was written by a newer version of Colophon');
  return parse(MANIFEST, Manifest, manifest);
}

async function sizeOf(path: string): Promise<number> {
  const found = await ifPresent(stat(path));
  if (!found) throw new RestoreError(`There is no file ${path}.`);
  if (!found.isFile()) throw new RestoreError(`${path} is not a file: name a file that \`backup\` wrote.`);
  return found.size;
}

/**
 * Restores a backup into an empty installation, completely or not at all.
 * @throws RestoreError if the installation is not empty, or has another schema; ArchiveError if the backup is not complete
 */
export async function restore(
  path: string,
  { connection, storage, jobs, onProgress, signal }: RestoreOptions,
): Promise<Summary> {
  const total = await sizeOf(path);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress({ done, total });
  };
  const client = await connectForCopying(connection);
  const added: string[] = [];
  let isCommitting = false;
  try {
    return await readArchive(path, { signal, onBytes }, async (archive) => {
      const manifest = await parseManifest(archive);
      await client.query('begin');
      // A service that starts in the meantime waits for this lock, and then finds the restored installation.
      await client.query('select pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK]);
      const tables = await readTables(client);
      // guard: restore-empty
      await requireEmpty(client);
      requireSameSchema(manifest, tables, await readMigrations(client));
      const foreignKeys = await dropForeignKeys(client);
      const read: Checksums['tables'] = {};
      for (const { name, copyIn } of tables)
        read[name] = await copyInFrom(archive, `${TABLES}/${name}`, client, copyIn);
      const jobsRead = await restoreJobs(archive, client, jobs);
      const files = await restoreFiles(archive, storage, added);
      const checksums = parse(CHECKSUMS, Checksums, await readJson(archive, CHECKSUMS));
      if ((await archive.next()) !== undefined)
        throw new ArchiveError('it has more files after its last one');
      // guard: restore-checksums
      requireSameContent(checksums, {
        tables: read,
        jobs: checksums.jobs || jobsRead.rows > 0 ? jobsRead : null,
        files,
      });
      await client.query(foreignKeys.join(';'));
      await setSequences(client, checksums.sequences);
      await client.query('analyze');
      isCommitting = true;
      await client.query('commit');
      return summaryOf(checksums);
    });
  } catch (error) {
    // If the connection is lost during the commit, the rows may be there; if not, garbage collection removes the files.
    if (!isCommitting) for (const sha256 of added) await storage.removeStale(sha256, END_OF_TIME);
    throw error;
  } finally {
    // Ending the session also rolls back.
    await client.end();
  }
}

/** Later than any time: every file counts as stale. */
const END_OF_TIME = new Date(8.64e15);

async function requireEmpty(client: pg.Client): Promise<void> {
  const table = await findTableWithRows(client);
  if (table !== undefined)
    throw new RestoreError(
      `This installation is not empty (there are rows of "${table}"): restore into a new database, or into a new DATA_DIR, before the service has been started on it.`,
    );
}

/** Requires that the database has the schema of the backup, since rows fit no other. */
function requireSameSchema(manifest: Manifest, tables: readonly Table[], migrations: string[]): void {
  const shape = tables.map(({ name, columns }) => ({ name, columns }));
  if (
    JSON.stringify(manifest.migrations) === JSON.stringify(migrations) &&
    JSON.stringify(manifest.tables) === JSON.stringify(shape)
  )
    return;
  const isEarlier = manifest.migrations.every((name, index) => migrations[index] === name);
  throw new RestoreError(
    `The backup is of Colophon ${manifest.version} with ${manifest.migrations.length} migrations, and this is ${VERSION} with ${migrations.length}: ${
      isEarlier
        ? 'restore it into a new database, which has no tables yet.'
        : 'restore it with the version that wrote it, and update after that.'
    }`,
  );
}

async function readNamed(archive: ArchiveReader, name: string): Promise<Buffer> {
  const next = await archive.next();
  if (next !== name)
    throw new ArchiveError(next === undefined ? `it has no ${name}` : `it has ${next} instead of ${name}`);
  return archive.read();
}

async function readJson(archive: ArchiveReader, name: string): Promise<unknown> {
  const bytes = await readNamed(archive, name);
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw damaged(name, cause);
  }
}

function parse<Shape extends z.ZodType>(name: string, shape: Shape, value: unknown): z.infer<Shape> {
  const { data, error } = shape.safeParse(value);
  if (error) throw damaged(name, error);
  return data as z.infer<Shape>;
}

const damaged = (name: string, cause: unknown) => new ArchiveError(`its ${name} is damaged`, { cause });

async function copyInFrom(
  archive: ArchiveReader,
  folder: string,
  client: pg.Client,
  statement: string,
): Promise<CopyResult> {
  const hash = createHash('sha256');
  const target = client.query(copyFrom(statement));
  await pipeline(
    archive.readParts(folder),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const bytes of source) {
        hash.update(bytes);
        yield bytes;
      }
    },
    target,
  );
  return { rows: target.rowCount, sha256: hash.digest('hex') };
}

interface WaitingJob {
  data: Jobs[keyof Jobs];
  priority: number;
  group: string | null;
}

/** Enqueues the jobs that were waiting or running, in the transaction of the restore. */
async function restoreJobs(archive: ArchiveReader, client: pg.Client, jobs: JobRunner): Promise<CopyResult> {
  await client.query(`
    create temporary table restored_job (number bigint primary key, name text, data jsonb, priority int, group_id text)
    on commit drop`);
  const copied = await copyInFrom(archive, JOBS, client, 'copy restored_job from stdin');
  const db = kyselyOn(client);
  for (let after = 0; after < copied.rows; after += BATCH) {
    const { rows } = await client.query<{ name: string; waiting: WaitingJob[] }>(
      `select name, json_agg(json_build_object('data', data, 'priority', priority, 'group', group_id) order by number) as waiting
       from restored_job where number > $1 and number <= $2
       group by name`,
      [after, after + BATCH],
    );
    for (const { name, waiting } of rows) {
      // Queues of the library itself are left out.
      if (!isJob(name)) continue;
      const all = waiting.map(({ group, ...job }) => ({ ...job, ...(group !== null && { group }) }));
      await jobs.enqueue(db, name, ...all);
    }
  }
  return copied;
}

/** The name of a stored file in a backup. */
const FILE = /^files\/([0-9a-f]{64})$/;

/** Stores the files, and adds the hashes of those that were not stored before to `added`; returns the number of files. */
async function restoreFiles(archive: ArchiveReader, storage: FileStorage, added: string[]): Promise<number> {
  let files = 0;
  for (;;) {
    const sha256 = FILE.exec((await archive.next()) ?? '')?.[1];
    if (sha256 === undefined) return files;
    if ((await storage.size(sha256)) === undefined) added.push(sha256);
    const bytes = verifyHash(archive.readStream(), sha256);
    await storage.put(sha256, bytes);
    // If the file was already stored, its bytes have not been read yet.
    for await (const _ of bytes);
    files++;
  }
}

/** Passes bytes through, and fails at their end if they do not match the hash, so that the storage does not keep them. */
async function* verifyHash(source: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256');
  for await (const bytes of source) {
    hash.update(bytes);
    yield bytes;
  }
  // guard: backup-altered-files, restore-file-hash
  if (hash.digest('hex') !== sha256) throw new ArchiveError(`the file ${sha256} was altered`);
}

function requireSameContent(written: Checksums, read: Pick<Checksums, 'tables' | 'jobs' | 'files'>): void {
  const altered = Object.keys({ ...written.tables, ...read.tables }).find(
    (name) => !isSame(written.tables[name], read.tables[name]),
  );
  if (altered !== undefined)
    throw new ArchiveError(`the rows of "${altered}" are not those that were written`);
  if (!isSame(written.jobs, read.jobs)) throw new ArchiveError('its jobs are not those that were written');
  if (written.files !== read.files)
    throw new ArchiveError(`it has ${read.files} files, but ${written.files} were written`);
}

const isSame = (one: CopyResult | null | undefined, other: CopyResult | null | undefined): boolean =>
  one?.rows === other?.rows && one?.sha256 === other?.sha256;
