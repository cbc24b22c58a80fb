import { chmod, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './errors.ts';
import { makeOpenDirectory, ordinaryOwner } from './files.ts';
import { type Account, isRoot } from './process.ts';

/** What the service puts into its data directory; a volume of its own comes with `lost+found`. */
const OURS = /^(files|postgres|postgres\..+|\.?postgresql-.+|lost\+found)$/;

interface DataDirectoryOptions {
  /** Whether its database is in use. */
  embedded: boolean;
  logger: Record<'warn', (fields: object, message: string) => void>;
}

/**
 * Makes the data directory if need be, and closes it to others on the machine: they can neither list it nor, since
 * everything in it is private as well, read a file. One that holds other things than ours is left as it is; permissions
 * are only ever taken away.
 * @returns its path without symbolic links.
 */
export async function makeDataDirectory(
  dataDir: string,
  { embedded, logger }: DataDirectoryOptions,
): Promise<string> {
  await makeOpenDirectory(path.dirname(dataDir));
  try {
    const mode = allowedMode(embedded);
    await mkdir(dataDir, { mode });
    // Whatever the umask.
    await chmod(dataDir, mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await tighten(dataDir, embedded, logger);
  }
  return await realpath(dataDir);
}

/** As root the database runs as another user, who has to pass through. */
const allowedMode = (hasDatabase: boolean): number => (hasDatabase && isRoot() ? 0o711 : 0o700);

async function tighten(
  dataDir: string,
  embedded: boolean,
  logger: DataDirectoryOptions['logger'],
): Promise<void> {
  const [{ mode, uid }, names] = await Promise.all([stat(dataDir), readdir(dataDir)]);
  const permissions = mode & 0o777;
  // A database from before may be in use by another process, or again later.
  const allowed = allowedMode(embedded || names.includes('postgres'));
  if ((permissions & ~allowed) === 0) return;
  const others = names.filter((name) => !OURS.test(name));
  if (others.length === 0 && (isRoot() || uid === process.geteuid?.())) {
    await chmod(dataDir, permissions & allowed);
    return;
  }
  const why =
    others.length > 0 ? `it also contains ${others.slice(0, 3).join(', ')}` : 'it belongs to another user';
  logger.warn(
    { dataDir },
    `other users of this machine may see the names of the files in ${dataDir}: ${why}`,
  );
}

/** As root: who gets what we make in the data directory, since they may run Colophon themselves later. */
export async function dataOwner(dataDir: string): Promise<Account | undefined> {
  return isRoot() ? await ordinaryOwner(dataDir) : undefined;
}
