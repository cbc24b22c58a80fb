import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../base/error-code.ts';
import { DomainError } from '../engine/errors.ts';
import { foldPath } from '../engine/import/paths.ts';
import type { FileRecord } from '../engine/store/records.ts';
import { contains } from './folders.ts';

/** The content to write to a file: a text, or the bytes of a stored file. */
export type FileContent =
  | string
  | { file: Pick<FileRecord, 'sha256' | 'size'>; open: () => Promise<Readable> };

/** A folder that documentation is written into. Nothing outside the folder is ever written, wherever its links lead. */
export interface FolderTarget {
  /** The names in it. */
  readonly names: readonly string[];
  has(path: string): Promise<boolean>;
  /** Whether its file system ignores case, so that `a` and `A` are the same file. */
  ignoresCase(): Promise<boolean>;
  /** Writes a file atomically; returns false if it has this content already. */
  write(path: string, content: FileContent): Promise<boolean>;
  /** Removes a file, and the folders that it leaves empty. */
  remove(path: string): Promise<void>;
}

/**
 * Opens a folder, which is created if it does not exist.
 * @throws DomainError `invalid` if it cannot be written, or is not a folder
 */
export async function openTarget(folder: string): Promise<FolderTarget> {
  const root = await attempt(`${folder} cannot be used as a folder`, async () => {
    await mkdir(folder, { recursive: true });
    return realpath(folder);
  });
  const names = await attempt(`${folder} cannot be read`, () => readdir(root));
  return {
    names,
    async has(path) {
      const target = join(root, path);
      return (await statOf(target)) !== undefined;
    },
    ignoresCase: () =>
      attempt(`${folder} cannot be written`, async () => {
        const draft = draftIn(root);
        await writeFile(draft, '', { flag: 'wx' });
        try {
          return (await statOf(join(root, basename(draft).toUpperCase()))) !== undefined;
        } finally {
          await rm(draft, { force: true });
        }
      }),
    write: (path, content) =>
      attempt(`${path} cannot be written`, async () => {
        const target = await resolveInside(root, path);
        const before = await statOf(target);
        if (before && !before.isFile()) throw new DomainError('invalid', `${path} is not a regular file.`);
        if (before && (await isSame(target, before.size, content))) return false;
        await replace(target, before?.mode, content);
        return true;
      }),
    remove: (path) =>
      attempt(`${path} cannot be removed`, async () => {
        const folder = await resolveFolder(root, dirname(path), false);
        await unlink(join(folder, basename(path)));
        await removeEmpty(root, folder);
      }),
  };
}

/** @throws DomainError `invalid` if two paths lead to the same file where case is ignored */
export function requireDistinctPaths(folder: string, paths: readonly string[]): void {
  const spellings = new Map<string, string>();
  for (const path of paths) {
    const key = foldPath(path);
    const other = spellings.get(key);
    if (other !== undefined)
      throw new DomainError(
        'invalid',
        `${folder} cannot hold both ${other} and ${path}, because its file system ignores case: export to another one.`,
      );
    spellings.set(key, path);
  }
}

/** The real path of a file in the target; creates folders that are missing. */
async function resolveInside(root: string, path: string): Promise<string> {
  const target = join(await resolveFolder(root, dirname(path), true), basename(path));
  if (!(await statOf(target))?.isSymbolicLink()) return target;
  const real = await realpath(target);
  if (!contains(root, real)) throw leadsOutside(path);
  return real;
}

/** The real path of a folder in the target, which is created if `create` is true. */
async function resolveFolder(root: string, folder: string, create: boolean): Promise<string> {
  let real = root;
  for (const name of folder.split('/')) {
    if (name === '.') continue;
    const next = join(real, name);
    const stats = await statOf(next);
    if (!stats && create) await mkdir(next);
    real = stats?.isSymbolicLink() ? await realpath(next) : next;
    if (!contains(root, real)) throw leadsOutside(folder);
  }
  return real;
}

const leadsOutside = (path: string) =>
  new DomainError('invalid', `${path} is a symbolic link that leads out of the folder.`);

async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function isSame(path: string, size: number, content: FileContent): Promise<boolean> {
  if (typeof content === 'string')
    return size === Buffer.byteLength(content) && (await readFile(path)).equals(Buffer.from(content));
  if (size !== content.file.size) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === content.file.sha256;
}

/** The path of a file for drafts. */
const draftIn = (folder: string): string => join(folder, `.export-${randomUUID()}`);

/** Replaces a file by a new one once that is complete. */
async function replace(target: string, mode: number | undefined, content: FileContent): Promise<void> {
  const draft = draftIn(dirname(target));
  try {
    const bytes = typeof content === 'string' ? [Buffer.from(content)] : await content.open();
    await pipeline(bytes, createWriteStream(draft, { flags: 'wx' }));
    if (mode !== undefined) await chmod(draft, mode);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function removeEmpty(root: string, from: string): Promise<void> {
  for (let folder = from; folder !== root && contains(root, folder); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return;
      throw error;
    }
  }
}

/** Turns errors of the file system into errors that say what was attempted. */
async function attempt<T>(failure: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof DomainError || code === undefined) throw error;
    throw new DomainError('invalid', `${failure} (${code}).`);
  }
}
