import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  type EmbeddedDatabase,
  type EmbeddedDatabaseOptions,
  openEmbeddedDatabase,
} from '../../server/embedded-postgres/index.ts';
import { inCheckout, reachableNode } from '../helpers/checkout.ts';
import { endServers, makeFolder } from '../helpers/folders.ts';

/** The module under test, for processes that import it. */
export const MODULE = inCheckout('server/embedded-postgres/index.ts');

export const NOBODY = { uid: 65534, gid: 65534 };

export const isRoot = process.geteuid?.() === 0;

export const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

export type Options = Partial<EmbeddedDatabaseOptions>;

type Connection = EmbeddedDatabase['connection'];

/** Another process that uses the database. */
export type Participant = {
  process: ChildProcess;
  connection: Connection;
  /** Ends it cleanly. */
  close: () => Promise<void>;
  /** Kills it. */
  kill: () => Promise<void>;
};

/** The directory of a test, accessible to every user, and the processes that use databases in it. */
export type Sandbox = Awaited<ReturnType<typeof makeSandbox>>;

/** Makes a sandbox; call `clear` at the end of the test. Its `dataDir` is a copy of the template's, or does not exist yet. */
export async function makeSandbox(template?: { dataDir: string }) {
  const base = await makeFolder('pg');
  await chmod(base, 0o755);
  if (template) await copyDirectory(template.dataDir, path.join(base, 'data'));
  const defaults = {
    dataDir: path.join(base, 'data'),
    systemDir: path.join(base, 'system'),
    role: 'service' as const,
    durable: false,
  };
  const opened: EmbeddedDatabase[] = [];
  const processes: ChildProcess[] = [];

  const open = async (options: Options = {}): Promise<EmbeddedDatabase> => {
    const database = await openEmbeddedDatabase({ ...defaults, logger: quiet, ...options });
    opened.push(database);
    return database;
  };

  /** Starts a process that opens the database and keeps running. */
  const launch = (options: Options = {}, { module = MODULE, ...spawning }: Launch = {}): ChildProcess => {
    const given = JSON.stringify({ ...defaults, ...options });
    const child = spawn(reachableNode(), ['--input-type=module', '-e', PROGRAM, module, given], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: '/',
      ...spawning,
    });
    processes.push(child);
    return child;
  };

  /** The same, once it has opened the database; rejects with its error if it cannot. */
  const participate = async (options: Options = {}, spawning: Launch = {}): Promise<Participant> => {
    const child = launch(options, spawning);
    const exit = once(child, 'exit');
    const [line] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')) as [string];
    const answer = JSON.parse(line) as { connection: Connection; error?: string };
    if (answer.error) throw new Error(answer.error);
    const end = async (act: () => unknown) => {
      act();
      await exit;
    };
    return {
      process: child,
      connection: answer.connection,
      close: () => end(() => child.stdin?.end()),
      kill: () => end(() => child.kill('SIGKILL')),
    };
  };

  const clear = async () => {
    for (const child of processes) child.kill('SIGKILL');
    await Promise.all(opened.map((database) => database.close()));
    await endServers(base);
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  };

  return {
    base,
    systemDir: defaults.systemDir,
    get dataDir() {
      return defaults.dataDir;
    },
    /** Moves the data directory, which does not exist yet, into a home that only `owner` can enter. */
    async moveToPrivateHome(owner?: { uid: number; gid: number }): Promise<string> {
      const home = path.join(base, 'home');
      await mkdir(home, { mode: 0o700 });
      if (owner) await chown(home, owner.uid, owner.gid);
      defaults.dataDir = path.join(home, 'data');
      return home;
    },
    open,
    launch,
    participate,
    clear,
  };
}

/** A sandbox with a data directory that was used and closed cleanly: copying it is faster than creating one. */
export async function makeTemplate(): Promise<Sandbox> {
  const sandbox = await makeSandbox();
  const database = await sandbox.open();
  await query(database.connection, 'CREATE TABLE t AS SELECT 7 AS v');
  await database.close();
  return sandbox;
}

/** Copies a directory, preserving owners and modes. */
export async function copyDirectory(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', '--', from, to]);
}

/** Copies a directory whose files nobody changes: hard links, where the file system is the same, take no time. */
export async function linkDirectory(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-al', '--', from, to]).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await copyDirectory(from, to);
  });
}

type Launch = { module?: string; uid?: number; gid?: number; detached?: boolean };

const PROGRAM = `
  const [module, given] = process.argv.slice(1);
  const { openEmbeddedDatabase } = await import(module);
  process.on('SIGINT', () => undefined);
  const logger = { info() {}, warn() {}, error() {} };
  try {
    const database = await openEmbeddedDatabase({ ...JSON.parse(given), logger });
    console.log(JSON.stringify({ connection: database.connection }));
    process.stdin.on('end', () => database.close()).resume();
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }`;

/** The first value of the first row. */
export async function query(connection: Connection, text: string): Promise<unknown> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

export const pidFile = (dataDir: string) => path.join(dataDir, 'postgres', 'postmaster.pid');

export async function serverPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(pidFile(dataDir), 'utf8'), 10);
}

/** Whether the server was stopped cleanly. */
export async function isStopped(dataDir: string): Promise<boolean> {
  return !(await readdir(path.join(dataDir, 'postgres'))).includes('postmaster.pid');
}
