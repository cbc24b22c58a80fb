import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedDatabaseError } from './errors.ts';
import { canEnter, makePrivateDirectory } from './files.ts';
import type { Layout } from './layout.ts';

/** The longest path of a socket, in bytes, on the stricter of the systems we run on. */
const PATH_LIMIT = 103;

/** The path of PostgreSQL's socket in a directory. */
export const socketFile = (directory: string, port: number): string =>
  path.join(directory, `.s.PGSQL.${port}`);

const fits = (directory: string, port: number): boolean =>
  Buffer.byteLength(socketFile(directory, port)) <= PATH_LIMIT;

/**
 * A private directory for the socket: the one used `before`, where connection pools expect a restarted server; else the
 * cluster itself; else, if its path is too long for a socket, one in the temporary directory.
 * @throws EmbeddedDatabaseError if another user created that directory, or may enter it
 */
export async function socketDirectory(
  { cluster, account }: Layout,
  port: number,
  before: string | undefined,
): Promise<string> {
  if (before === cluster || fits(cluster, port)) return cluster;
  const directory = before ?? (await temporaryDirectory(cluster, account, port));
  await makePrivateDirectory(directory, account);
  const { mode, uid } = await lstat(directory);
  const isPrivate = (mode & 0o170077) === 0o040000 && uid === (account?.uid ?? process.geteuid?.());
  if (isPrivate) return directory;
  throw new EmbeddedDatabaseError(
    `${directory}, where the database's socket must go, was created by another user. Remove it, or choose a shorter path ` +
      'for the data directory.',
  );
}

async function temporaryDirectory(
  cluster: string,
  account: Layout['account'],
  port: number,
): Promise<string> {
  const hash = createHash('sha256').update(cluster).digest('hex').slice(0, 16);
  for (const parent of [tmpdir(), '/tmp']) {
    const directory = path.join(parent, `colophon-${hash}`);
    if (fits(directory, port) && (await canEnter(parent, account))) return directory;
  }
  throw new EmbeddedDatabaseError(`The path ${cluster} is too long for the database's socket.`);
}

/** Whether any program listens on the socket. */
export function socketResponds(directory: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile(directory, port));
    const finish = (responds: boolean) => {
      socket.destroy();
      resolve(responds);
    };
    socket.on('connect', () => finish(true));
    // Nothing is listening, or the file is stale.
    socket.on('error', () => finish(false));
  });
}
