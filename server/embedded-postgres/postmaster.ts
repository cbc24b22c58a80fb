import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { lchown, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifPresent } from '../system-errors.ts';
import { EmbeddedDatabaseError, explainOutput } from './errors.ts';
import { tailOf } from './files.ts';
import type { Layout } from './layout.ts';
import type { Logger } from './logger.ts';
import { CLEAN_ENVIRONMENT, commandLine, isAlive, processesIn, sendSignal } from './process.ts';
import { socketDirectory, socketFile, socketResponds } from './socket.ts';

/** The number in the socket's name; nothing listens on the network. */
export const PORT = 5432;

const LOG_LIMIT_BYTES = 5_000_000;
/** Longer than replaying the write-ahead log after a crash takes, which is bounded by max_wal_size. */
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 30_000;
const ORPHAN_LIMIT_MS = 2_000;
const POLL_MS = 10;

/** What PostgreSQL writes into postmaster.pid. */
type PidFile = { pid: number; cluster: string; socketDir: string; status: string };

/**
 * Makes sure that the cluster's server is running: adopts a running one, or starts it. Call it under the start lock.
 * @param before the directory of its previous socket, if known
 * @returns the directory of its socket
 * @throws EmbeddedDatabaseError with the end of the server's log if it does not start
 */
export async function ensureRunning(
  layout: Layout,
  durable: boolean,
  logger: Logger,
  before: string | undefined,
): Promise<string> {
  const deadline = performance.now() + START_LIMIT_MS;
  let known = await readPidFile(layout.cluster);
  while (known && (await isPostmaster(known.pid, layout.cluster))) {
    if (known.status === 'ready') return known.socketDir;
    // It is starting, or about to stop.
    if (performance.now() > deadline) {
      throw new EmbeddedDatabaseError(
        `PostgreSQL (pid ${known.pid}) has been "${known.status}" for 5 minutes. See ${layout.logFile}.`,
      );
    }
    await sleep(POLL_MS);
    known = await readPidFile(layout.cluster);
  }
  // The process of a server in another container is not visible, but its socket responds.
  if (known && (await socketResponds(known.socketDir, PORT))) return known.socketDir;
  if (known) await endOrphans(layout.cluster);
  const socketDir = await socketDirectory(layout, PORT, known?.socketDir ?? before);
  await clearStaleLocks(layout, socketDir, known);
  await start(layout, socketDir, durable, logger);
  return socketDir;
}

/**
 * Stops the cluster's server, ending all its sessions, and waits until it has exited.
 * @returns false if the server is not a process of this machine or does not exit
 */
export async function stopPostmaster({ cluster }: Layout): Promise<boolean> {
  const known = await readPidFile(cluster);
  if (!known) return true;
  const stages: [NodeJS.Signals, number][] = [
    ['SIGINT', STOP_LIMIT_MS],
    // Ends without a checkpoint; the next start replays the log.
    ['SIGQUIT', 5_000],
  ];
  for (const [signal, limit] of stages) {
    const deadline = performance.now() + limit;
    if (!(await isPostmaster(known.pid, cluster))) break;
    sendSignal(known.pid, signal);
    while (performance.now() < deadline && (await isPostmaster(known.pid, cluster))) await sleep(POLL_MS);
  }
  return (await readPidFile(cluster)) === undefined;
}

/** The running or last server of the cluster; undefined if it was shut down cleanly or the file cannot be parsed. */
async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const content = await ifPresent(readFile(path.join(cluster, 'postmaster.pid'), 'utf8'));
  const [pid = '', directory = '', , , socketDir = '', , , status = ''] = content?.split('\n') ?? [];
  // In a copied data directory, the file describes the server of the original.
  if (directory !== cluster || !socketDir || !(Number(pid) > 0)) return undefined;
  return { pid: Number(pid), cluster: directory, socketDir, status: status.trim() };
}

/** Whether the process is the server of this cluster, and not another program with the same pid. */
async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const line = await commandLine(pid);
  return line.length === 1
    ? line[0]?.includes(` -D ${cluster} `) === true
    : line[line.indexOf('-D') + 1] === cluster;
}

/**
 * Ends the sessions of a dead server. Most end by themselves, but a busy one does not notice, and PostgreSQL does not
 * start while one is left.
 */
async function endOrphans(cluster: string): Promise<void> {
  const deadline = performance.now() + ORPHAN_LIMIT_MS;
  for (;;) {
    const orphans = await processesIn(cluster, 'postgres');
    if (!orphans.length) return;
    const late = performance.now() > deadline;
    for (const pid of orphans) sendSignal(pid, late ? 'SIGKILL' : 'SIGQUIT');
    await sleep(POLL_MS);
  }
}

/**
 * PostgreSQL does not start if a lock file is empty, or has the pid of a live process, even of another program. But it
 * ignores the pid of its own parent. So we write our pid to postmaster.pid, and keep its other lines, by which PostgreSQL
 * detects sessions of the dead server.
 */
async function clearStaleLocks(layout: Layout, socketDir: string, known: PidFile | undefined): Promise<void> {
  const pidFile = path.join(layout.cluster, 'postmaster.pid');
  // A server that was stopping may have removed it in the meantime.
  const content = known && (await ifPresent(readFile(pidFile, 'utf8')));
  if (content) {
    const [, ...rest] = content.split('\n');
    // Renamed into place: as root, never write through a link that another user may have put here.
    const draft = `${pidFile}.${process.pid}`;
    await rm(draft, { force: true });
    await writeFile(draft, [process.pid, ...rest].join('\n'), { mode: 0o600, flag: 'wx' });
    if (layout.account) await lchown(draft, layout.account.uid, layout.account.gid);
    await rename(draft, pidFile);
  } else {
    await rm(pidFile, { force: true });
  }
  await rm(`${socketFile(socketDir, PORT)}.lock`, { force: true });
}

async function start(layout: Layout, socketDir: string, durable: boolean, logger: Logger): Promise<void> {
  const { account, binaries, cluster, logFile } = layout;
  const log = await openLog(layout);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const begun = performance.now();
  // Detached: an interrupt from the terminal reaches only the service, which finishes its work before stopping the
  // database.
  const child = spawn(binaries.postgres, ['-D', cluster, '-p', String(PORT), ...options], {
    ...account,
    cwd: '/',
    env: CLEAN_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log.handle.fd, log.handle.fd],
  });
  let ended: string | undefined;
  child.on('error', (error) => {
    ended = error.message;
  });
  child.on('exit', (code, signal) => {
    ended = signal ? `signal ${signal}` : `exit code ${code}`;
  });
  try {
    for (;;) {
      const known = await readPidFile(cluster);
      if (known && known.pid === child.pid && known.status === 'ready') break;
      if (ended !== undefined)
        throw new EmbeddedDatabaseError(await startFailure(logFile, log.offset, ended));
      if (performance.now() - begun > START_LIMIT_MS) {
        child.kill('SIGQUIT');
        throw new EmbeddedDatabaseError(await startFailure(logFile, log.offset, 'not ready after 5 minutes'));
      }
      await sleep(POLL_MS);
    }
  } finally {
    child.unref();
    await log.handle.close();
  }
  logger.info(
    { postgresPid: child.pid, cluster, ms: Math.round(performance.now() - begun) },
    'PostgreSQL started',
  );
}

async function startFailure(logFile: string, offset: number, end: string): Promise<string> {
  const tail = await tailOf(logFile, offset);
  return `The embedded PostgreSQL did not start (${end}). The end of ${logFile}: ${explainOutput(tail)}`;
}

/** Opens the log for appending, and rotates it first if it is long. */
async function openLog({ logFile, owner }: Layout) {
  const size = (await ifPresent(stat(logFile)))?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
  // We may be root in another user's directory: do not follow a link that may lead to a file of ours.
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  const handle = await open(logFile, flags, 0o600);
  if (owner) await handle.chown(owner.uid, owner.gid);
  return { handle, offset: (await handle.stat()).size };
}
