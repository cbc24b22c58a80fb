import { createHash } from 'node:crypto';
import { lstat, readlink, realpath, rename, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { ifPresent } from '../system-errors.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { dataOwner } from './data-directory.ts';
import { EmbeddedDatabaseError } from './errors.ts';
import { canEnter, makeOpenDirectory, makePrivateDirectory, ordinaryOwner } from './files.ts';
import type { Logger } from './logger.ts';
import { type Account, findAccount, isRoot, run } from './process.ts';

/** The paths of one embedded PostgreSQL, and the user it runs as. */
export type Layout = {
  /** The data directory of the service, without symbolic links. */
  dataDir: string;
  /** PostgreSQL's own directory, without symbolic links; not necessarily in dataDir. */
  cluster: string;
  /** The user PostgreSQL runs as; undefined for the user of this process. */
  account: Account | undefined;
  binaries: Binaries;
} & DataFiles;

/** The files next to the cluster, in dataDir. */
export type DataFiles = {
  /** The owner of new files in dataDir; undefined for the user of this process. */
  owner: Account | undefined;
  lockFile: string;
  logFile: string;
  passwordFile: string;
};

/** The files in dataDir. If we are root, they belong to the owner of dataDir, who may run Colophon later. */
export async function dataFiles(dataDir: string): Promise<DataFiles> {
  return {
    owner: await dataOwner(dataDir),
    lockFile: path.join(dataDir, 'postgres.lock'),
    logFile: path.join(dataDir, 'postgres.log'),
    passwordFile: path.join(dataDir, 'postgres.password'),
  };
}

/**
 * Decides where the cluster is or will be. If we are root, PostgreSQL runs as another user; what that user cannot access is
 * placed below `systemDir`, with `<dataDir>/postgres` as a symbolic link to it. Permissions of existing directories are
 * never changed. Call it under the start lock.
 * @throws EmbeddedDatabaseError if no user can run it, or the cluster belongs to another user
 */
export async function prepareLayout(
  dataDir: string,
  files: DataFiles,
  systemDir: string,
  logger: Logger,
): Promise<Layout> {
  const entry = path.join(dataDir, 'postgres');
  const existing = await ifPresent(realpath(entry));
  const account = isRoot() ? await chooseAccount(existing, files.owner) : undefined;
  if (existing) await checkAccess(existing, account);
  const cluster = existing ?? (await placeCluster(dataDir, entry, account, systemDir, logger));
  const binaries = await findBinaries(account, account ? systemDir : dataDir);
  return { ...files, dataDir, cluster, account, binaries };
}

async function chooseAccount(cluster: string | undefined, owner: Account | undefined): Promise<Account> {
  const account =
    (cluster && (await ordinaryOwner(cluster))) ||
    (owner ?? (await findAccount('postgres')) ?? (await findAccount('nobody')));
  // In a container, root may lack the capability to switch users.
  const failure = account ? await runFailure(account) : 'there is no user "postgres" or "nobody"';
  if (account && failure === undefined) return account;
  throw new EmbeddedDatabaseError(
    `PostgreSQL does not run as root, and root cannot run it as another user: ${failure}. ` +
      'Start Colophon as an ordinary user, or set DATABASE_URL.',
  );
}

/** Why this process cannot run anything as `account`; undefined if it can. */
async function runFailure(account: Account): Promise<string | undefined> {
  const { code, output } = await run('/bin/sh', ['-c', 'exit 0'], { account });
  return code === 0 ? undefined : `user id ${account.uid}: ${output}`;
}

async function checkAccess(cluster: string, account: Account | undefined): Promise<void> {
  const { uid } = await stat(cluster);
  const expected = account?.uid ?? process.geteuid?.();
  if (uid !== expected) {
    throw new EmbeddedDatabaseError(
      `The database in ${cluster} belongs to user id ${uid}, not to ${expected}. ` +
        'Run Colophon as that user, or give the directory to the right one with chown -R.',
    );
  }
  if (account && !(await canEnter(cluster, account))) {
    throw new EmbeddedDatabaseError(
      `User id ${account.uid}, who owns the database in ${cluster}, cannot reach it: a parent directory denies access to ` +
        'that user. Move the data directory, or run Colophon as an ordinary user.',
    );
  }
}

/** The path of a cluster that does not exist yet, with its parent directory ready. */
async function placeCluster(
  dataDir: string,
  entry: string,
  account: Account | undefined,
  systemDir: string,
  logger: Logger,
): Promise<string> {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const home = path.join(systemDir, `${path.basename(dataDir)}-${hash}`);
  const cluster = path.join(home, 'postgres');
  const target = await ifPresent(readlink(entry));
  // A link to a missing cluster indicates an interrupted first start only if the parent directory exists.
  if (target !== undefined && !(target === cluster && (await ifPresent(lstat(home))))) {
    throw new EmbeddedDatabaseError(
      `${entry} leads to ${target}, where there is no database. Bring that directory back, or delete the link to start ` +
        'with an empty database.',
    );
  }
  if (target === undefined && (!account || (await canEnter(dataDir, account)))) return entry;
  await makeOpenDirectory(systemDir);
  await makePrivateDirectory(home, account);
  if (account && !(await canEnter(home, account))) {
    throw new EmbeddedDatabaseError(
      `User id ${account.uid}, which PostgreSQL must run as instead of root, can reach neither ${dataDir} nor ${home}. ` +
        'Start Colophon as an ordinary user, or set DATABASE_URL.',
    );
  }
  if (target === undefined) {
    await setAside(cluster, logger);
    await symlink(cluster, entry);
  }
  logger.warn(
    { cluster },
    `the user PostgreSQL runs as cannot access ${dataDir}, so the database is kept in ${cluster}`,
  );
  return cluster;
}

/** Prevents the database of a deleted data directory from reappearing in a new one of the same name. */
async function setAside(cluster: string, logger: Logger): Promise<void> {
  if (!(await ifPresent(lstat(cluster)))) return;
  const aside = `${cluster}.unused-${new Date().toISOString().replaceAll(':', '')}`;
  await rename(cluster, aside);
  logger.warn({ aside }, 'found the database of a deleted data directory; kept it under another name');
}
