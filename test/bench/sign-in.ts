import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { completeSignIn } from '../../routers/auth/sign-in.operation.ts';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import type { Load, LoadOptions } from './load.ts';
import { makeDataDir, median, runScript, startServer } from './processes.ts';
import { statementsOf } from './queries.ts';
import { seedSpaces } from './seed.ts';

/** The number of requests of each kind in a round, and of rounds. */
const REQUESTS = 500;
const ROUNDS = 11;

/** Wrong passwords per second, for this many seconds, from this many IP addresses. */
const RATE = 1000;
const SECONDS = 10;
const ADDRESSES = 500;

/** Compares sessions with tokens, and measures how much wrong passwords delay other requests. */
export async function benchSignIn(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const { token } = await seedSpaces(runtime.database, 1);
  const app = await buildApp(runtime, config, logger);
  const { id } = (
    await app.inject({ url: '/v1/user', headers: { authorization: `Bearer ${token}` } })
  ).json();
  let cookie = '';
  const { database, services } = runtime;
  const browser = {
    userAgent: null,
    address: '127.0.0.1',
    isSameOrigin: true,
    token: () => undefined,
    setToken: (name: string, kept: { secret: string } | null) => {
      if (name === 'session' && kept) cookie = `colophon_session=${kept.secret}`;
    },
  };
  const transaction = database.transaction.bind(database);
  const context = { db: database.db, transaction, services, browser };
  await completeSignIn(context, { user: id, method: 'link', secondFactor: false });

  const bySession = { cookie, 'sec-fetch-site': 'same-origin' };
  const byToken = { authorization: `Bearer ${token}` };
  const statements = {
    token: (await statementsOf(app, '/v1/user', byToken)).length,
    session: (await statementsOf(app, '/v1/user', bySession)).length,
  };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS + 2; round++) {
    const one = await processorOf(app, byToken);
    const other = await processorOf(app, bySession);
    // The first rounds run before the compiler has optimized the code.
    if (round >= 2) ratios.push(other / one);
  }
  await app.close();
  await runtime.close();

  const service = await startServer('server/main.ts', { DATA_DIR: dataDir, TRUST_PROXY: 'true' });
  const before = await readyWaits(`${service.url}/readyz`);
  const numbers = Array.from({ length: ADDRESSES }, (_, index) => index);
  const flood = runScript<Load>('load.ts', [
    JSON.stringify({
      url: service.url,
      paths: numbers.map(() => '/v1/auth/sign-in'),
      bodies: numbers.map((n) => ({ email: `person${n}@example.com`, password: 'wrong password' })),
      headers: numbers.map((n) => ({
        origin: service.url,
        'x-forwarded-for': `10.0.${n >> 8}.${n & 255}`,
      })),
      tokens: ['none'],
      seconds: SECONDS,
      rate: RATE,
    } satisfies LoadOptions),
  ]);
  const waits = await readyWaits(`${service.url}/readyz`);
  const { rate } = await flood;
  await service.stop();
  console.table({
    'statements of a read by token': { measured: statements.token, bound: '' },
    'statements of a read by session': { measured: statements.session, bound: statements.token },
    'CPU time of a read by session, relative to one by token': {
      measured: median(ratios).toFixed(2),
      bound: 1.1,
    },
    'wrong passwords per second': { measured: Math.round(rate), bound: RATE },
    'readiness without them, median (ms)': { measured: shareOf(before, 0.5), bound: '' },
    'readiness with them, median (ms)': { measured: shareOf(waits, 0.5), bound: '' },
    'readiness without them, 99 in 100 (ms)': { measured: shareOf(before, 0.99), bound: '' },
    'readiness with them, 99 in 100 (ms)': { measured: shareOf(waits, 0.99), bound: 100 },
  });
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** The percentile of some waits, as a share from 0 to 1. */
const shareOf = (waits: number[], share: number): number =>
  Math.round(waits.toSorted((a, b) => a - b)[Math.floor(waits.length * share)] ?? 0);

/** The CPU time of many reads, in microseconds. */
async function processorOf(app: FastifyInstance, headers: Record<string, string>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i++) await app.inject({ url: '/v1/user', headers });
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The times of repeated readiness checks while passwords are tried, in milliseconds. */
async function readyWaits(url: string): Promise<number[]> {
  const waits: number[] = [];
  await sleep(1000);
  const end = performance.now() + (SECONDS - 2) * 1000;
  while (performance.now() < end) {
    const started = performance.now();
    const { status } = await fetch(url);
    if (status !== 200) throw new Error(`the service is not ready: ${status}`);
    waits.push(performance.now() - started);
    await sleep(25);
  }
  return waits;
}
