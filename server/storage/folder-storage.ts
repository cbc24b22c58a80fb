import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../routers/base/error-code.ts';
import type { FileStorage } from '../../routers/base/ports.ts';
import { dataOwner } from '../embedded-postgres/data-directory.ts';
import { type Account, isRoot } from '../embedded-postgres/process.ts';
import { ifPresent } from '../system-errors.ts';
import { draftNamer, removeDeadDrafts } from './folder-drafts.ts';

/** The relative path of a file, in two levels of folders so that none gets too large. */
const keyOf = (sha256: string) => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

const HASH = /^[0-9a-f]{64}$/;

/** The suffix of files that are being removed: `<hash>.<random letters>.removing`. */
const REMOVING = '.removing';

/** A removal takes at most this long, in milliseconds. */
const REMOVAL_LIMIT = 10 * 60_000;

/** The folder of files being written, on the same file system as complete ones. */
const DRAFTS = 'incoming';

/**
 * Stores files in `<dataDir>/files`, by hash, readable only by this user. Their modification time is when they were last
 * put. Folders are created on first use.
 */
export function openFolderStorage(dataDir: string): FileStorage {
  const location = join(dataDir, 'files');
  const drafts = join(location, DRAFTS);
  const pathOf = (sha256: string) => join(location, keyOf(sha256));
  let nameDraft: (() => string) | undefined;
  return {
    async put(sha256, bytes) {
      const path = pathOf(sha256);
      if (await touch(path)) return;
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      const owner = await dataOwner(dataDir);
      await createFolders(drafts, owner);
      nameDraft ??= await draftNamer();
      // Written to a draft and then renamed: neither a crash nor a full disk leaves an incomplete file under the hash.
      const draft = join(drafts, nameDraft());
      try {
        // guard: stored-file-mode
        await writeFile(draft, bytes, { mode: 0o600, flag: 'wx', flush: true });
        if (owner) await chown(draft, owner.uid, owner.gid);
        await createFolders(dirname(path), owner);
        await rename(draft, path);
      } catch (error) {
        // If this fails, the next start removes it.
        // guard: write-failure-cleanup
        await rm(draft, { force: true }).catch(() => undefined);
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async read(sha256, range) {
      // Opened now, so that it stays readable even if it is removed.
      const file = await open(pathOf(sha256));
      return file.createReadStream(range);
    },
    async size(sha256) {
      return (await ifPresent(stat(pathOf(sha256))))?.size;
    },
    list: () => list(location),
    listStale: (before) => listStale(location, before),
    async removeStale(sha256, before) {
      const path = pathOf(sha256);
      // Renamed and then checked: a `put` before the rename has updated the time, one after it writes the file again.
      const aside = `${path}.${randomBytes(8).toString('hex')}${REMOVING}`;
      if (!(await ifPresent(rename(path, aside).then(() => true)))) return false;
      const isStale = (await stat(aside)).mtime < before;
      await (isStale ? rm(aside, { force: true }) : rename(aside, path));
      return isStale;
    },
  };
}

/** Removes a folder and those in it, as far as they are empty. */
export async function removeEmptyFolders(folder: string): Promise<void> {
  for (const entry of (await ifPresent(readdir(folder, { withFileTypes: true }))) ?? [])
    if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  await rmdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'ENOENT') throw error;
  });
}

/** Makes the folder private, which earlier versions did not do, and removes the drafts of dead writers. */
export async function cleanUpFolderStorage(dataDir: string): Promise<void> {
  const location = join(dataDir, 'files');
  await makePrivate(location);
  // guard: drafts-dead-removed
  await removeDeadDrafts(join(location, DRAFTS));
}

/**
 * Sets the time of a file to now; false if there is none. `utimes` looks up the path and sets the time in two steps: a removal
 * that renames the file and reads its time in between still removes it. So the path is checked again.
 */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  if (!(await ifPresent(utimes(path, now, now).then(() => true)))) return false;
  return (await ifPresent(stat(path))) !== undefined;
}

async function* list(location: string): AsyncGenerator<string> {
  const folder = await ifPresent(opendir(location, { recursive: true }));
  for await (const entry of folder ?? []) if (entry.isFile() && HASH.test(entry.name)) yield entry.name;
}

/**
 * Lists the stale files. Removals that a crash interrupted are undone, with the current time, since the file may replace one
 * that was put in the meantime; interrupted writes are removed.
 */
async function* listStale(location: string, before: Date): AsyncGenerator<string> {
  const folder = await ifPresent(opendir(location, { recursive: true }));
  for await (const entry of folder ?? []) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await ifPresent(stat(path));
    if (!found) continue;
    const isRemoving = entry.name.endsWith(REMOVING);
    if (found.mtime >= before && !(isRemoving && isInterrupted(found.ctime))) continue;
    if (HASH.test(entry.name)) yield entry.name;
    else if (isRemoving) {
      if (await touch(path))
        await ifPresent(rename(path, join(entry.parentPath, entry.name.split('.', 1)[0] as string)));
    } else await rm(path, { force: true });
  }
}

/** Whether a removal that renamed a file at a time has been interrupted: it takes moments. */
const isInterrupted = (renamed: Date): boolean => renamed.getTime() < Date.now() - REMOVAL_LIMIT;

/** Creates a folder and its parents, private to `owner`; the new entries survive a power failure. */
export async function createFolders(folder: string, owner: Account | undefined): Promise<void> {
  // guard: stored-folder-mode
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    if (owner) await chown(made, owner.uid, owner.gid);
    await syncFolder(dirname(made));
  }
}

/** Makes a folder private, unless it is a link: that is the operator's own arrangement. */
async function makePrivate(folder: string): Promise<void> {
  const found = await ifPresent(lstat(folder));
  if (!found?.isDirectory() || (found.mode & 0o077) === 0) return;
  if (isRoot() || found.uid === process.geteuid?.()) await chmod(folder, found.mode & 0o700);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems do not support this, and order writes themselves.
    if (codeOf(error) !== 'EINVAL') throw error;
  } finally {
    await handle.close();
  }
}
