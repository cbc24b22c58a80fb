import { randomBytes } from 'node:crypto';
import { lchown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../routers/base/error-code.ts';
import { ifPresent } from '../system-errors.ts';
import { EmbeddedDatabaseError, explainOutput } from './errors.ts';
import { createAtomically, removeAbandonedDrafts } from './files.ts';
import type { Layout } from './layout.ts';
import type { Logger } from './logger.ts';
import { run } from './process.ts';

/** The superuser of the cluster, and the database of the service. */
export const USER = 'colophon';

/** Initial settings for a small machine, written to postgresql.conf, where the operator may change them. */
const SETTINGS = {
  shared_buffers: '128MB',
  max_connections: '100',
  max_wal_size: '512MB',
  min_wal_size: '64MB',
  // Nothing replicates from an embedded database.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // All queries are short: compiling or parallelizing them costs more than it saves, and parallel queries exhaust the
  // 64 MB of shared memory that a container has by default.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Frequently read data is in memory, and the rest on a disk that seeks fast: indexes pay off even on small tables.
  random_page_cost: '1.1',
  io_method: 'sync',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Creates the cluster unless it exists, and reads its password, which is created first. The cluster is created under a
 * temporary name and then renamed: if this is interrupted, the next start finds a complete one or none. Call it under the
 * start lock.
 * @returns the password of USER
 * @throws EmbeddedDatabaseError if it cannot be created, or is of another major version
 */
export async function ensureCluster(layout: Layout, durable: boolean, logger: Logger): Promise<string> {
  const exists = await checkVersion(layout);
  let password = await readPassword(layout);
  if (password === undefined) {
    await removeAbandonedDrafts(layout.passwordFile);
    await createAtomically(layout.passwordFile, `${randomBytes(24).toString('base64url')}\n`, layout.owner);
    password = (await readPassword(layout)) ?? '';
    if (exists) await resetPassword(layout, password);
  }
  if (!exists) {
    logger.info({ cluster: layout.cluster }, 'creating the PostgreSQL database');
    await createCluster(layout, password, durable);
  }
  return password;
}

async function readPassword({ passwordFile }: Layout): Promise<string | undefined> {
  return (await ifPresent(readFile(passwordFile, 'utf8')))?.trim();
}

/** Whether there is a cluster. @throws EmbeddedDatabaseError if it is of another major version, or not a cluster */
async function checkVersion({ cluster, binaries }: Layout): Promise<boolean> {
  const version = await ifPresent(readFile(path.join(cluster, 'PG_VERSION'), 'utf8'));
  if (version === undefined) {
    const content = await ifPresent(readdir(cluster));
    if (!content?.length) return false;
    throw new EmbeddedDatabaseError(
      `${cluster} is not a PostgreSQL database, and not empty. Move it out of the way.`,
    );
  }
  if (Number(version) !== binaries.major) {
    throw new EmbeddedDatabaseError(
      `The database in ${cluster} was created by PostgreSQL ${version.trim()}; this Colophon includes PostgreSQL ${binaries.major}, ` +
        'which cannot read it. Export with the Colophon that created it and import into a new data directory.',
    );
  }
  return true;
}

async function createCluster(layout: Layout, password: string, durable: boolean): Promise<void> {
  const { account, binaries, cluster } = layout;
  await removeDrafts(cluster);
  const draft = await mkdtemp(`${cluster}.new-`);
  const data = path.join(draft, 'data');
  const passwordFile = path.join(draft, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (account) {
      await lchown(passwordFile, account.uid, account.gid);
      await lchown(draft, account.uid, account.gid);
    }
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const { code, output } = await run(
      binaries.initdb,
      [
        ...['--pgdata', data, '--username', USER, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
        ...[
          '--encoding',
          'UTF8',
          '--locale',
          'C',
          '--locale-provider',
          'builtin',
          '--builtin-locale',
          'C.UTF-8',
        ],
        ...['--no-instructions', ...settings, ...(durable ? [] : ['--no-sync'])],
      ],
      { account },
    );
    if (code !== 0)
      throw new EmbeddedDatabaseError(`The database could not be created. ${explainOutput(output)}`);
    await rename(data, cluster);
    if (durable) await syncDirectory(path.dirname(cluster));
  } catch (error) {
    // A process in another container may have been faster, despite the lock: its cluster is equivalent.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Removes what interrupted creations left behind. */
async function removeDrafts(cluster: string): Promise<void> {
  const parent = path.dirname(cluster);
  const prefix = `${path.basename(cluster)}.new-`;
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(path.join(parent, name), { recursive: true, maxRetries: 3 });
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Sets a new superuser password, for when the file with the old one is gone; the server must not be running. */
async function resetPassword(layout: Layout, password: string): Promise<void> {
  const { code, output } = await run(
    layout.binaries.postgres,
    ['--single', '-D', layout.cluster, 'postgres'],
    {
      account: layout.account,
      input: `ALTER ROLE ${USER} PASSWORD '${password}';\n`,
    },
  );
  if (code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(output)) return;
  await rm(layout.passwordFile, { force: true });
  throw new EmbeddedDatabaseError(
    `${layout.passwordFile} is missing, and the password of the database could not be reset: ${output}`,
  );
}
