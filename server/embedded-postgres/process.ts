import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from '../../routers/base/error-code.ts';
import { ifPresent } from '../system-errors.ts';

/** A system user to run a program as; undefined everywhere means the user of this process. */
export type Account = { uid: number; gid: number };

/**
 * The environment of every PostgreSQL program. It is not inherited, so that the caller's PGDATA, PGPORT or locale have no
 * effect.
 */
export const CLEAN_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

/** Whether this process runs as root: it may then switch users, and must, because PostgreSQL does not run as root. */
export const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * Runs a short program to completion as `account`, with `input` on its standard input. Never rejects: a program that
 * cannot be started results in code -1 with the reason as its output.
 */
export function run(
  command: string,
  args: string[],
  { account, input }: { account?: Account; input?: string } = {},
): Promise<{ code: number; output: string }> {
  const ended = new Promise<{ code: number; output: string }>((resolve, reject) => {
    const child = spawn(command, args, { ...account, cwd: '/', env: CLEAN_ENVIRONMENT, stdio: 'pipe' });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk).slice(-16_384);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, output: output.trim() }));
    // A program that ends without reading its input is not an error here: its exit code decides.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
  return ended.catch((error: Error) => ({ code: -1, output: error.message }));
}

/** Looks up a user by name, with the system's own tools; undefined if there is none. */
export async function findAccount(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

/** Whether a process with this id exists, including those of other users. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Sends a signal to a process that may already have exited. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * The start time of a process, which distinguishes it from a later one with the same id; undefined if it is not running.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await ifPresent(readFile(`/proc/${pid}/stat`, 'utf8'));
    // The second field is the program's name, in parentheses, which may itself contain spaces and parentheses.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields?.[0] === 'Z' ? undefined : fields?.[19];
  }
  return (await ps(pid, 'lstart=')) || undefined;
}

/** The command line of a process, one string per argument if the system separates them. */
export async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    const line = await ifPresent(readFile(`/proc/${pid}/cmdline`, 'utf8'));
    return line?.split('\0') ?? [];
  }
  return [await ps(pid, 'command=')];
}

/**
 * The processes that run the program `name` in this working directory. Only supported on Linux; elsewhere none are found.
 */
export async function processesIn(directory: string, name: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Processes that we may not inspect, or that are gone, are not ours.
      const where = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      if (where !== directory) return false;
      const program = await ifPresent(readFile(`/proc/${pid}/comm`, 'utf8'));
      return program?.trim() === name;
    }),
  );
  return pids.filter((_, index) => found[index]);
}

async function ps(pid: number, field: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', field, '-p', String(pid)]);
    return stdout.trim();
  } catch (error) {
    // ps exits with 1 if there is no such process.
    if ((error as { code?: unknown }).code === 1) return '';
    throw error;
  }
}
