import { closeSync, constants, type Dirent, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/error-code.ts';
import { joinPath } from '../engine/import/paths.ts';
import { type DocsSource, ImportError, isIgnoredName, type SourceEntry } from '../engine/import/source.ts';
import { contains } from './folders.ts';

/** For resolved paths: a link or pipe that has replaced a file since must not be followed or waited for. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Folder {
  /** Its path within the source, through links. */
  path: string;
  /** Its real path on the disk. */
  real: string;
}

/**
 * Opens a folder as a source of documentation. Nothing outside the folder is ever read: a symbolic link that leads out of it
 * is listed with a problem.
 * @throws ImportError `not_found`, `not_a_folder` or `unreadable`
 */
export async function openFolder(folder: string): Promise<DocsSource> {
  const root = await realFolder(folder);
  return { location: root, list: () => walk(root), read: (path) => readInside(root, path) };
}

async function realFolder(folder: string): Promise<string> {
  let real: string;
  try {
    real = await realpath(folder);
    if (!(await stat(real)).isDirectory())
      throw new ImportError('not_a_folder', `${folder} is not a folder.`);
    await readdir(real);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new ImportError('not_found', `There is no folder ${folder}.`, { cause: error });
    throw new ImportError('unreadable', `The folder ${folder} cannot be read (${problemOf(error)}).`, {
      cause: error,
    });
  }
  return real;
}

async function* walk(root: string): AsyncGenerator<SourceEntry> {
  // Each link target is followed once, however many links lead to it, so that links cannot multiply the work.
  const followed = new Set<string>();
  const pending: Folder[] = [{ path: '', real: root }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    let entries: Dirent[];
    try {
      entries = await readdir(folder.real, { withFileTypes: true });
    } catch (error) {
      const problem = `This folder cannot be read (${problemOf(error)}).`;
      yield { path: folder.path, size: 0, problem, isFolder: true };
      continue;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const folders: Folder[] = [];
    for (const entry of entries) {
      if (isIgnoredName(entry.name)) continue;
      const path = joinPath(folder.path, entry.name);
      const real = join(folder.real, entry.name);
      if (entry.isDirectory()) folders.push({ path, real });
      else if (entry.isFile()) yield describe(path, real);
      else if (!entry.isSymbolicLink()) yield { path, size: 0, problem: 'This is not a regular file.' };
      else {
        const target = await follow(root, folder, real, followed);
        if ('problem' in target) yield { path, size: 0, ...target };
        else if (target.isFolder) folders.push({ path, real: target.real });
        else yield describe(path, target.real);
      }
    }
    for (const folder of folders.reverse()) pending.push(folder);
  }
}

/** The entry of a file. It is opened, since only that tells whether it may be read. */
function describe(path: string, real: string): SourceEntry {
  let file: number | undefined;
  try {
    file = openSync(real, OPEN_FLAGS);
    return { path, size: fstatSync(file).size };
  } catch (error) {
    return { path, size: 0, problem: `This file cannot be read (${problemOf(error)}).` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

type Target =
  | { real: string; isFolder: boolean }
  | { problem: string; isFolder?: boolean; isDuplicate?: boolean };

async function follow(root: string, from: Folder, link: string, followed: Set<string>): Promise<Target> {
  let real: string;
  let isFolder: boolean;
  try {
    real = await realpath(link);
    const stats = await stat(real);
    isFolder = stats.isDirectory();
    if (!isFolder && !stats.isFile())
      return { problem: 'This symbolic link leads to something that is not a file.' };
  } catch (error) {
    return { problem: `This symbolic link is broken (${problemOf(error)}).` };
  }
  if (!contains(root, real))
    return { problem: 'This symbolic link leads out of the folder and was not followed.', isFolder };
  if (!isFolder) return { real, isFolder };
  if (contains(real, from.real))
    return {
      problem: 'This symbolic link leads to a folder that contains it and was not followed.',
      isFolder,
    };
  if (followed.has(real)) {
    const problem = 'Another symbolic link to the same folder was already followed; this one was not.';
    return { problem, isDuplicate: true };
  }
  followed.add(real);
  return { real, isFolder };
}

/**
 * Reads a file synchronously: that takes microseconds, while half a dozen round trips to the thread pool would be most of the
 * cost of importing small files.
 */
async function readInside(root: string, path: string): Promise<Uint8Array> {
  let file: number | undefined;
  try {
    const real = realpathSync.native(join(root, path));
    if (!contains(root, real)) throw new ImportError('unreadable', `${path} leads out of the folder.`);
    file = openSync(real, OPEN_FLAGS);
    if (!fstatSync(file).isFile()) throw new ImportError('unreadable', `${path} is not a regular file.`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError('unreadable', `${path} cannot be read (${problemOf(error)}).`, { cause: error });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What went wrong, in a word if possible. */
const problemOf = (error: unknown): string => codeOf(error) ?? String(error);
