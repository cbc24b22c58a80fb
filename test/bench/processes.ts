import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../helpers/folders.ts';

const root = new URL('../..', import.meta.url).pathname;

/** The environment variables that programs need. All others could be settings of a service, which the bench chooses. */
const NEEDED = ['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR'];

/** The environment of a process that the bench starts with the given settings. */
const environmentWith = (settings: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(
    NEEDED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
  ...settings,
});

/** The running servers: a bench that fails leaves them to be stopped by `stopServers`. */
const running = new Set<ChildProcess>();

/** Stops the servers that a bench has left running. */
export async function stopServers(): Promise<void> {
  for (const child of running) {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
}

/** The Node.js options of `npm start` or `npm run cli`. */
export async function flagsOf(script: 'start' | 'cli', checkout = root): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  return scripts[script].match(/--[^ ]+/g) ?? [];
}

export interface Running {
  process: ChildProcess;
  /** The base URL, from the line that the process printed when it was ready. */
  url: string;
  /** The time from the start of the process to that line, in milliseconds. */
  startMilliseconds: number;
  stop(): Promise<void>;
}

/** Creates a data folder, which the user that PostgreSQL runs as can access even when the bench runs as root. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await makeFolder('bench');
  await chmod(dataDir, 0o755);
  return dataDir;
}

/** Starts a server of a checkout in its own process, on a port that the system chooses, and waits until it is ready. */
export async function startServer(
  file: string,
  env: Record<string, string>,
  checkout = root,
): Promise<Running> {
  const flags = await flagsOf('start', checkout);
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, join(checkout, file)], {
    // guard: bench-environment
    env: environmentWith({ PORT: '0', LOG_LEVEL: 'warn', ...env }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stderr.setEncoding('utf8');
  let output = '';
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const url = /ready at (http:\S+)/.exec(output)?.[1];
    if (!url) continue;
    child.stderr.pipe(process.stderr);
    return {
      process: child,
      url: url.replace('localhost', '127.0.0.1'),
      startMilliseconds: performance.now() - started,
      async stop() {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        await exit;
      },
    };
  }
  throw new Error(`${file} ended before it was ready: ${output}`);
}

/** Runs a bench script and returns the JSON that it printed. */
export const runScript = <Result>(
  file: string,
  args: string[],
  flags: readonly string[] = [],
): Promise<Result> => runToEnd(`test/bench/${file}`, args, flags, {});

/** Runs a CLI command on the installation in a folder, next to its service, and returns the JSON that it printed. */
export const runCommand = async <Result>(dataDir: string, ...args: string[]): Promise<Result> =>
  runToEnd('server/cli/main.ts', [...args, '--json'], await flagsOf('cli'), { DATA_DIR: dataDir });

async function runToEnd<Result>(
  file: string,
  args: string[],
  flags: readonly string[],
  settings: Record<string, string>,
): Promise<Result> {
  const child = spawn(process.execPath, [...flags, `${root}${file}`, ...args], {
    env: environmentWith(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${file} failed with exit code ${code}`);
  return JSON.parse(Buffer.concat(chunks).toString()) as Result;
}

/** Resident memory of a process in megabytes (Linux). */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
