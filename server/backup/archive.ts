import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { codeOf } from '../../routers/base/error-code.ts';
import { diskProblemOf, ifPresent } from '../system-errors.ts';

/** The size of the parts of a table, in bytes: tar needs the size of each entry before its bytes. */
const PART_SIZE = 1024 * 1024;

/** The largest file that is read into memory, in bytes: only the manifest and the checksums are. */
const MAX_READ = 16 * 1024 * 1024;

/** A file is not a backup, or not a complete one. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export interface ArchiveWriter {
  /** Adds a file. */
  add(name: string, bytes: Uint8Array): Promise<void>;
  /** Adds a file from a stream, which must have exactly `size` bytes. */
  addStream(name: string, size: number, source: AsyncIterable<Uint8Array>): Promise<void>;
  /** Adds a stream of any length as numbered files in a folder; returns the SHA-256 of the whole stream. */
  addParts(folder: string, source: AsyncIterable<Uint8Array>): Promise<string>;
}

/**
 * Writes a compressed tar archive to a new file that only its owner may read. It gets its name once it is complete.
 * @throws Error if the file exists
 */
export async function writeArchive<Result>(
  path: string,
  signal: AbortSignal,
  write: (archive: ArchiveWriter) => Promise<Result>,
): Promise<Result> {
  if (await ifPresent(stat(path))) throw alreadyExists(path);
  const incompletePath = `${path}.incomplete`;
  const archive = pack();
  const output = createWriteStream(incompletePath, { flags: 'wx', mode: 0o600, flush: true });
  let isOurs = false;
  output.once('open', () => {
    isOurs = true;
  });
  const writing = pipeline(archive, createGzip(), output, { signal });
  // A failure, such as a full disk, is thrown by whatever adds a file.
  writing.catch(() => undefined);
  const failing = writing.then(() => new Promise<never>(() => undefined));
  failing.catch(() => undefined);
  const add = (name: string, bytes: Uint8Array) =>
    Promise.race([
      failing,
      new Promise<void>((resolve, reject) => {
        const entry = archive.entry({ name, mode: 0o600 }, Buffer.from(bytes), (error) =>
          error ? reject(error) : resolve(),
        );
        // Without a listener, a failure of the archive would end the process.
        entry.on('error', reject);
      }),
    ]);
  const addStream = async (name: string, size: number, source: AsyncIterable<Uint8Array>) => {
    const entry = archive.entry({ name, mode: 0o600, size });
    await Promise.race([failing, pipeline(source, entry)]);
  };
  const addParts = async (folder: string, source: AsyncIterable<Uint8Array>) => {
    const hash = createHash('sha256');
    let part: Uint8Array[] = [];
    let size = 0;
    let number = 0;
    const flush = async () => {
      if (size > 0) await add(`${folder}/${String(++number).padStart(6, '0')}`, Buffer.concat(part));
      part = [];
      size = 0;
    };
    for await (const bytes of source) {
      hash.update(bytes);
      part.push(bytes);
      size += bytes.length;
      if (size >= PART_SIZE) await flush();
    }
    await flush();
    return hash.digest('hex');
  };
  try {
    const result = await write({ add, addStream, addParts });
    archive.finalize();
    await writing;
    // Linked, not renamed: that would replace an existing file.
    await link(incompletePath, path);
    return result;
  } catch (error) {
    archive.destroy();
    await writing.catch(() => undefined);
    if (codeOf(error) === 'EEXIST') throw alreadyExists(isOurs ? path : incompletePath, error);
    if (!isOurs && codeOf(error) === 'ENOENT')
      throw new Error(`There is no folder ${dirname(path)}.`, { cause: error });
    const problem = diskProblemOf(error);
    if (problem) throw new Error(`${problem}: ${path} was not written.`, { cause: error });
    throw error;
  } finally {
    if (isOurs) await rm(incompletePath, { force: true });
  }
}

/** Reads the files of an archive in their order. */
export interface ArchiveReader {
  /** The name of the next file; undefined at the end. */
  next(): Promise<string | undefined>;
  /** The bytes of the next file, which must be small. */
  read(): Promise<Buffer>;
  /** The bytes of the next file as a stream, which must be read to its end. */
  readStream(): AsyncGenerator<Buffer, void>;
  /** The bytes of all next files that are in one folder, as one stream. */
  readParts(folder: string): AsyncGenerator<Buffer, void>;
}

/**
 * Reads an archive. It is known to be complete only once `next` has returned undefined.
 * @param onBytes called with the number of bytes of each read
 * @throws ArchiveError if it cannot be read, or ends too early
 */
export async function readArchive<Result>(
  path: string,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (bytes: number) => void },
  read: (archive: ArchiveReader) => Promise<Result>,
): Promise<Result> {
  const input = createReadStream(path).on('data', (bytes) => onBytes(bytes.length));
  const files = extract();
  const reading = pipeline(input, createGunzip(), files, { signal });
  reading.catch(() => undefined);
  const entries = files[Symbol.asyncIterator]();
  let upcoming: Promise<Entry | undefined> | undefined;
  const peek = () => (upcoming ??= advance());
  const advance = async () => {
    const { done, value } = await entries.next();
    if (!done) return value as unknown as Entry;
    await reading;
    return undefined;
  };
  const take = async () => {
    const entry = await peek();
    if (!entry) throw new ArchiveError('it ends too early');
    upcoming = undefined;
    return entry;
  };
  async function* readParts(folder: string): AsyncGenerator<Buffer, void> {
    while ((await peek())?.header.name.startsWith(`${folder}/`)) yield* await take();
  }
  const reader = {
    next: async () => (await peek())?.header.name,
    async read() {
      const entry = await take();
      const { name, size } = entry.header;
      // guard: backup-read-limit
      if (size > MAX_READ) throw new ArchiveError(`${name} is longer than it can be`);
      return buffer(entry);
    },
    async *readStream() {
      yield* await take();
    },
    readParts,
  };
  try {
    return await read(reader);
  } catch (error) {
    throw asArchiveError(error, path);
  } finally {
    // The rest is not read: end the streams that wait for a reader.
    input.destroy();
    files.destroy();
    await reading.catch(() => undefined);
  }
}

type Entry = AsyncIterable<Buffer> & { header: { name: string; size: number } };

/** Converts errors of damaged archives: those of zlib have codes, those of the tar reader have none. */
function asArchiveError(error: unknown, path: string): unknown {
  const { message } = error as Error;
  const isDamaged =
    /^Z_/.test(codeOf(error) ?? '') || /^(Invalid tar header|Unexpected end of data)/.test(message);
  if (!(error instanceof ArchiveError || isDamaged)) return error;
  return new ArchiveError(`${basename(path)} is not a complete backup: ${message}.`, { cause: error });
}

const alreadyExists = (path: string, cause?: unknown) =>
  new Error(`${path} already exists: name a new file.`, { cause });
