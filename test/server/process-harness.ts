import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { inCheckout, reachableNode } from '../helpers/checkout.ts';

/** A program of the product that runs as a process. */
export interface Program {
  process: ChildProcess;
  /** Its output so far. */
  stdout: string;
  stderr: string;
  /** The exit code, or the signal that ended it. */
  exit: Promise<number | NodeJS.Signals>;
}

/** How long tests wait for what a process does, in milliseconds: a busy machine makes them slow, not wrong. */
export const PATIENCE = 120_000;

export type Environment = Record<string, string>;

export interface SpawnOptions {
  uid?: number;
  gid?: number;
  /** Whether it runs in its own process group, as in a terminal. */
  detached?: boolean;
}

const running = new Set<ChildProcess>();

/** Kills the programs that a failed test left running. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a program with this environment, plus only PATH from the environment of the tests. */
export function run(
  command: string,
  args: string[],
  environment: Environment,
  options: SpawnOptions = {},
): Program {
  const child = spawn(command, args, {
    cwd: inCheckout('.'),
    env: { PATH: process.env.PATH, HOME: tmpdir(), NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  const program: Program = {
    process: child,
    stdout: '',
    stderr: '',
    exit: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
  child.stdout.on('data', (chunk) => {
    program.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    program.stderr += chunk;
  });
  return program;
}

/** The options of Node.js in the commands `npm start`, `npm run worker` and `npm run cli`. */
const FLAGS = packageJson.scripts.start.match(/--\S+/g) ?? [];

/** Starts a file of the product as those commands do. */
export const runProduct = (
  [file, ...args]: [string, ...string[]],
  environment: Environment,
  options?: SpawnOptions,
): Program => run(reachableNode(), [...FLAGS, file, ...args], environment, options);

/** A running service. */
export interface Service extends Program {
  url: string;
  /** The admin token, if this start showed one. */
  token: string | undefined;
  /** Tells it to stop, and waits until it exits; returns the exit code and the time taken, in milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | NodeJS.Signals; took: number }>;
}

/** Starts the service on a port that the system chooses, without waiting for it. */
export const launch = (environment: Environment, options?: SpawnOptions): Program =>
  runProduct(['server/main.ts'], { PORT: '0', ...environment }, options);

/** Starts the service, and waits until it is ready. */
export async function start(environment: Environment, options?: SpawnOptions): Promise<Service> {
  return ready(launch(environment, options));
}

/** The admin token that a start showed, if it did. */
export const tokenIn = ({ stderr }: Program): string | undefined => /^ {2}(colophon_\S+)$/m.exec(stderr)?.[1];

/** Waits until a launched service is ready. */
export async function ready(program: Program): Promise<Service> {
  await waitForOutput(program, ' is ready at');
  const url = /^Colophon \S+ is ready at (\S+)/m.exec(program.stderr)?.[1] as string;
  return Object.assign(program, {
    url,
    token: tokenIn(program),
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      const begun = performance.now();
      program.process.kill(signal);
      const code = await program.exit;
      return { code, took: performance.now() - begun };
    },
  });
}

/** Waits until a program has written this text. */
export async function waitForOutput(program: Program, text: string): Promise<void> {
  const has = () => program.stdout.includes(text) || program.stderr.includes(text);
  let ended = false;
  void program.exit.then(() => {
    ended = true;
  });
  await vi.waitUntil(() => ended || has(), { timeout: PATIENCE, interval: 20 });
  if (!has()) throw new Error(`It ended first: ${program.stderr}${program.stdout}`);
}

/** Calls `/v1` of a service: reads, or with a body creates. */
export async function call(
  service: { url: string },
  token: string | undefined,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
): Promise<{ status: number; body: any }> {
  const response = await fetch(`${service.url}/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Connection options of the embedded database of a data directory, while it runs. */
export async function databaseOf(dataDir: string): Promise<pg.ClientConfig> {
  const [, , , , host] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim();
  return { host, port: 5432, user: 'colophon', password, database: 'colophon' };
}
