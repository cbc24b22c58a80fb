import { chmod, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../routers/base/error-code.ts';
import { makeOpenDirectory, ordinaryOwner } from './files.ts';
import { type Account, isRoot } from './process.ts';

/** The service's own entries in its data directory, and `lost+found` of dedicated volumes. */
const KNOWN_ENTRIES = /^(files|postgres|postgres\..+|\.?postgresql-.+|lost\+found)$/;

interface DataDirectoryOptions {
  /** Whether the database is embedded, in this directory. */
  embedded: boolean;
  logger: Record<'warn', (fields: object, message: string) => void>;
}

/**
 * Creates the data directory if necessary, and makes it private: other users can neither list it nor, since everything in
 * it is private as well, read a file. A directory that also contains other files is left as it is; permissions are only
 * ever removed.
 * @returns its path without symbolic links
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
    await restrictPermissions(dataDir, embedded, logger);
  }
  return await realpath(dataDir);
}

/** The most permissive mode: if we are root, the database runs as another user, who must be able to traverse it. */
// guard: data-directory-mode
const allowedMode = (hasDatabase: boolean): number => (hasDatabase && isRoot() ? 0o711 : 0o700);

async function restrictPermissions(
  dataDir: string,
  embedded: boolean,
  logger: DataDirectoryOptions['logger'],
): Promise<void> {
  const [{ mode, uid }, names] = await Promise.all([stat(dataDir), readdir(dataDir)]);
  const permissions = mode & 0o777;
  // An existing database may be in use by another process, or again later.
  const allowed = allowedMode(embedded || names.includes('postgres'));
  if ((permissions & ~allowed) === 0) return;
  const others = names.filter((name) => !KNOWN_ENTRIES.test(name));
  if (others.length === 0 && (isRoot() || uid === process.geteuid?.())) {
    // guard: data-directory-mode-reset
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

/** If we are root, the owner of new files in the data directory, who may run Colophon later. */
export async function dataOwner(dataDir: string): Promise<Account | undefined> {
  return isRoot() ? await ordinaryOwner(dataDir) : undefined;
}
