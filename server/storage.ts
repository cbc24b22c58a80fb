import { createReadStream } from 'node:fs';
import { opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { FileStorage } from '../routers/storage.ts';

/** Two levels of folders, so that none grows too long. */
const keyOf = (sha256: string) => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

const HASH = /^[0-9a-f]{64}$/;

/** The name of bytes that are being removed ends so. */
const REMOVING = '.removing';

/** Keeps the bytes of files under `<dataDir>/files`, by hash. When they were put is the time of the file. */
export function openFileStorage(dataDir: string): FileStorage {
  const location = join(dataDir, 'files');
  const disk = new Disk(new FSDriver({ location, visibility: 'private' }));
  const pathOf = (sha256: string) => join(location, keyOf(sha256));
  return {
    async put(sha256, bytes) {
      const key = keyOf(sha256);
      const now = new Date();
      // One call that both asks and renews: the file cannot be removed in between.
      if (await unlessGone(utimes(pathOf(sha256), now, now).then(() => true))) return;
      // Written aside and moved: a crash never leaves half a file under a hash that promises the whole.
      const partial = `${key}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      await disk.put(partial, bytes);
      await disk.move(partial, key);
    },
    async read(sha256, range) {
      // The library reads files from their beginning alone.
      return range ? createReadStream(pathOf(sha256), range) : disk.getStream(keyOf(sha256));
    },
    async size(sha256) {
      const key = keyOf(sha256);
      return (await disk.exists(key)) ? (await disk.getMetaData(key)).contentLength : undefined;
    },
    listStale: (before) => listStale(location, before),
    async removeStale(sha256, before) {
      const path = pathOf(sha256);
      // Moved away and then looked at: a `put` before the move has renewed it, one after it writes the file anew.
      const aside = `${path}${REMOVING}`;
      if (!(await unlessGone(rename(path, aside).then(() => true)))) return false;
      const isStale = (await stat(aside)).mtime < before;
      await (isStale ? rm(aside, { force: true }) : rename(aside, path));
      return isStale;
    },
  };
}

/** Walks the folders. What a crash has left of a removal goes back to be judged again; what it left of a write goes. */
async function* listStale(location: string, before: Date): AsyncGenerator<string> {
  const folder = await unlessGone(opendir(location, { recursive: true }));
  for await (const entry of folder ?? []) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await unlessGone(stat(path));
    if (!found || found.mtime >= before) continue;
    if (HASH.test(entry.name)) yield entry.name;
    else if (entry.name.endsWith(REMOVING)) await unlessGone(rename(path, path.slice(0, -REMOVING.length)));
    else await rm(path, { force: true });
  }
}

/** What comes of work on a file, or undefined where there is no such file. */
async function unlessGone<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
