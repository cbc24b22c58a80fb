import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openRuntime, type Runtime } from '../../server/runtime.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Seed, seedSpaces } from './seed.ts';

export interface Timed {
  // biome-ignore lint/suspicious/noExplicitAny: the bench looks into bodies freely
  body: any;
  milliseconds: number;
  /** CPU time of this process in milliseconds, which other work on the machine does not affect. */
  processor: number;
}

/** A service in this process, called through its HTTP application, with a database as durable as in production. */
export interface BenchService {
  dataDir: string;
  runtime: Runtime;
  seed: Seed;
  /** Sends a request below `/v1`, which must succeed. */
  send(method: 'GET' | 'POST', path: string, body?: object): Promise<Timed>;
  close(): Promise<void>;
}

/**
 * Opens the service in a new folder.
 * @param kept a folder to use instead, which is created if needed and kept, so that slow seeding is done only once
 */
export async function openBenchService(kept?: string): Promise<BenchService> {
  const dataDir = kept === undefined ? await makeFolder('bench') : join(kept, 'data');
  await mkdir(dataDir, { recursive: true });
  // When run as root, PostgreSQL runs as another user, who must be able to access the folder.
  await chmod(dataDir, 0o755);
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const seed = await keptJson(kept, 'seed', () => seedSpaces(runtime.database, 1));
  const app = await buildApp(runtime, config, logger);
  return {
    dataDir,
    runtime,
    seed,
    async send(method, path, body) {
      const [started, before] = [performance.now(), process.cpuUsage()];
      const response = await app.inject({
        method,
        url: `/v1${path}`,
        headers: { authorization: `Bearer ${seed.token}` },
        ...(body && { payload: body }),
      });
      const milliseconds = performance.now() - started;
      const { user, system } = process.cpuUsage(before);
      if (response.statusCode >= 300)
        throw new Error(`${path} returned ${response.statusCode}: ${response.body}`);
      return {
        body: response.body === '' ? undefined : response.json(),
        milliseconds,
        processor: (user + system) / 1000,
      };
    },
    async close() {
      await app.close();
      await runtime.close();
      if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the JSON about seeded data from the file that an earlier run has written, or creates both. */
export async function keptJson<Known>(
  kept: string | undefined,
  name: string,
  build: () => Promise<Known>,
): Promise<Known> {
  if (kept === undefined) return build();
  const file = join(kept, `${name}.json`);
  const json = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (json !== undefined) return JSON.parse(json) as Known;
  const built = await build();
  await writeFile(file, JSON.stringify(built));
  return built;
}
