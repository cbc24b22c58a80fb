import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DatabaseProxy, proxiedUrl, startProxy, type Target } from '../helpers/proxy.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { copyDirectory, makeSandbox, type Sandbox, serverPid } from '../server/embedded-postgres-harness.ts';
import { startLoad } from './load.ts';

const POOL = 4;
const WAIT = 3000;
const STATEMENT = 1000;
/** The service waits 2 seconds longer than the time limit of a statement; the rest allows for a busy machine. */
const LONGEST = WAIT + STATEMENT + 2000 + 10_000;
/** After a crash, PostgreSQL flushes its files and replays its log, for as long as the disk takes. */
const RESTART = 120_000;

vi.setConfig({ testTimeout: RESTART + 120_000, hookTimeout: 60_000 });

type Embedded = Awaited<ReturnType<Sandbox['open']>>;

const targetOf = ({ connection }: Embedded): Target => ({
  path: `${connection.host}/.s.PGSQL.${connection.port}`,
});

let first: Sandbox;
let second: Sandbox;
let server: Embedded;
let proxy: DatabaseProxy;
let service: TestService;
beforeEach(async () => {
  first = await makeSandbox();
  second = await makeSandbox();
  // As in production: acknowledged writes survive a crash.
  server = await first.open({ durable: true });
  proxy = await startProxy(targetOf(server));
  const { user, password, database } = server.connection;
  service = await startTestService({
    DATABASE_URL: proxiedUrl(
      proxy,
      `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}`,
    ),
    DATABASE_POOL: String(POOL),
    DATABASE_WAIT: String(WAIT),
    DATABASE_TIMEOUT: String(STATEMENT),
  });
});
afterEach(async () => {
  await service.close();
  await proxy.close();
  await first.clear();
  await second.clear();
});

/** Puts the service under load, disrupts its database, and expects everything to be intact once it serves again. */
async function survive(happen: () => Promise<void>): Promise<void> {
  const { id, admin } = await service.build.organization();
  const client = service.as(admin.token);
  const load = startLoad(client, id, 4 * POOL);
  await vi.waitUntil(() => (load.statuses.get(201) ?? 0) > 0, { timeout: LONGEST });
  await happen();
  const known = load.statuses.get(201) ?? 0;
  await vi.waitUntil(() => (load.statuses.get(201) ?? 0) > known + POOL, { timeout: 2 * LONGEST });
  await load.stop();
  const { requests } = service.runtime.database.pools();
  console.info({ ...requests, longest: load.longest, statuses: load.statuses });
  expect([...load.statuses.keys()].every((status) => [200, 201, 503].includes(status))).toBe(true);
  expect(load.longest).toBeLessThan(LONGEST);
  await vi.waitUntil(() => service.runtime.database.pools().requests.inUse === 0, { timeout: LONGEST });
  const answers = await Promise.all([...Array(2 * POOL)].map(() => client.get('/orgs')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // Every acknowledged write is there.
  const spaces = await client.get(`/orgs/${id}/spaces?limit=1`);
  expect(spaces.body.count).toBeGreaterThanOrEqual(load.statuses.get(201) ?? 0);
}

test.each(['SIGINT', 'SIGKILL'] as const)(
  'the service recovers when its database is stopped by %s under load and started again',
  (signal) =>
    survive(async () => {
      process.kill(await serverPid(first.dataDir), signal);
      await vi.waitUntil(() => !server.available, { timeout: LONGEST, interval: 5 });
      await vi.waitUntil(() => server.available, { timeout: RESTART });
    }),
);

test('the service recovers when the database host goes silent and a replica takes over its address', () =>
  survive(async () => {
    proxy.target = undefined;
    proxy.stall();
    await sleep(200);
    await server.close();
    await rm(second.dataDir, { recursive: true, force: true });
    await copyDirectory(first.dataDir, second.dataDir);
    proxy.target = targetOf(await second.open());
  }));
