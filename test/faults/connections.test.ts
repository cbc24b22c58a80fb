import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { test as base, describe, expect, vi } from 'vitest';
import { createTestDatabase } from '../helpers/database.ts';
import { type Fault, proxiedUrl, startProxy, targetOf } from '../helpers/proxy.ts';
import { startTestService } from '../helpers/service.ts';
import { startLoad } from './load.ts';

const KILLS = process.env.LONG === '1' ? 100 : 10;
const POOL = 4;
const WAIT = 3000;
const STATEMENT = 1000;
/** The service waits 2 seconds longer than the time limit of a statement; the rest allows for a busy machine. */
const LONGEST = WAIT + STATEMENT + 2000 + 10_000;

vi.setConfig({ testTimeout: 60_000 + KILLS * 5000 });

/** A service with a small pool and short limits, which connects to its database through a proxy. */
async function openScene() {
  const database = await createTestDatabase();
  const proxy = await startProxy(targetOf(database.url));
  const service = await startTestService({
    DATABASE_URL: proxiedUrl(proxy, database.url),
    DATABASE_POOL: String(POOL),
    DATABASE_WAIT: String(WAIT),
    DATABASE_TIMEOUT: String(STATEMENT),
  });
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const { id: organization, admin: person } = await service.build.organization();
  const requests = () => service.runtime.database.pools().requests;
  return {
    proxy,
    service,
    /** A connection that does not go through the proxy. */
    admin,
    organization,
    client: service.as(person.token),
    requests,
    /** All connections of the pool are available at once, and none is in use or awaited. */
    async expectWholePool(): Promise<void> {
      await vi.waitUntil(() => requests().inUse === 0 && requests().waiting === 0, { timeout: LONGEST });
      const { db } = service.runtime.database;
      let holding = 0;
      await Promise.all(
        Array.from({ length: POOL }, () =>
          db.connection().execute(async (session) => {
            await sql`select 1`.execute(session);
            holding++;
            await vi.waitUntil(() => holding === POOL, { timeout: LONGEST });
          }),
        ),
      );
      expect(requests()).toMatchObject({ total: POOL, idle: POOL, inUse: 0, waiting: 0 });
    },
    async close() {
      await service.close();
      await admin.end();
      await proxy.close();
      await database.drop();
    },
  };
}

const test = base.extend<{ scene: Awaited<ReturnType<typeof openScene>> }>({
  scene: async ({ onTestFinished }, use) => {
    const scene = await openScene();
    onTestFinished(scene.close);
    await use(scene);
  },
});

test(`after ${KILLS} kills of all connections under load, every request gets a response and the pool is complete`, async ({
  scene,
}) => {
  const { client, organization, admin, service, requests, expectWholePool } = scene;
  const load = startLoad(client, organization, 4 * POOL);
  const kill = `
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  let killed = 0;
  for (let round = 0; round < KILLS; round++) {
    // After some requests have succeeded, and then at any point during the others.
    const known = load.statuses.get(201) ?? 0;
    await vi.waitUntil(() => (load.statuses.get(201) ?? 0) > known, { timeout: LONGEST, interval: 2 });
    await sleep(Math.random() * 50);
    killed += (await admin.query(kill)).rowCount ?? 0;
  }
  await load.stop();
  await expectWholePool();
  console.info({ kills: KILLS, killed, ...requests(), longest: load.longest, statuses: load.statuses });
  expect(killed).toBeGreaterThan(KILLS);
  expect([...load.statuses.keys()].every((status) => [200, 201, 503].includes(status))).toBe(true);
  expect(load.longest).toBeLessThan(LONGEST);
  expect((await client.get('/user')).status).toBe(200);
  expect((await service.app.inject('/readyz')).statusCode).toBe(200);
});

test('while no connection is free, requests get 503 after the waiting limit, and the service is not ready', async ({
  scene,
}) => {
  const { service, client, requests, expectWholePool } = scene;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { db } = service.runtime.database;
  const holders = Array.from({ length: POOL }, () => db.connection().execute(() => released));
  await vi.waitUntil(() => requests().inUse === POOL);

  const asked = [...Array(3)].map(async () => {
    const begun = performance.now();
    const answer = await client.get('/orgs');
    return { ...answer, took: performance.now() - begun };
  });
  const begun = performance.now();
  const readiness = await service.app.inject('/readyz');
  expect(readiness.statusCode).toBe(503);
  expect(performance.now() - begun).toBeLessThan(WAIT);
  const metrics = (await service.app.inject('/metrics')).body;
  expect(metrics).toContain(`database_pool_connections{pool="requests",state="in_use"} ${POOL}`);
  // One readiness check, and the token look-ups of three requests, which share statements.
  expect(metrics).toMatch(/^database_pool_waiting\{pool="requests"\} [2-4]$/m);
  expect((await service.app.inject('/healthz')).statusCode).toBe(200);
  for (const { status, headers, body, took } of await Promise.all(asked)) {
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(body.error.message).toBe('The database is too busy right now; try again soon.');
    expect(took).toBeLessThan(LONGEST);
  }
  release();
  await Promise.all(holders);
  expect((await client.get('/orgs')).status).toBe(200);
  await expectWholePool();
});

const FAULTS: { fault: Fault; what: string }[] = [
  { fault: 'cut', what: 'is cut' },
  { fault: 'stall', what: 'goes silent' },
];
/** Every statement of a transaction with a savepoint, and of one that fails. */
const STEPS = ['begin', 'savepoint', 'select 7', 'release', 'commit', 'rollback to', 'rollback'];

// They mostly wait for the limits.
describe.concurrent('faults', () => {
  test.for(FAULTS)(
    'a connection that $what at any statement of a transaction is replaced every time',
    async ({ fault }, { scene: { service, proxy, requests, expectWholePool } }) => {
      const { transaction } = service.runtime.database;
      for (const step of STEPS) {
        const fails = step.startsWith('rollback');
        const statement = new RegExp(`(?<![a-z])${step}(?! to)`);
        const before = requests().lost;
        proxy.onClientData = (text) => (statement.test(text) ? fault : undefined);
        const rounds = Array.from({ length: POOL + 1 }, () =>
          transaction(async (em) => {
            await em.transactional(async (inner) => {
              await inner.execute('select 7');
              if (step === 'rollback to') throw new Error('own failure');
            });
            if (fails) throw new Error('own failure');
          }),
        );
        const outcomes = await Promise.allSettled(rounds);
        for (const outcome of outcomes) expect(outcome.status, step).toBe('rejected');
        expect(requests().lost - before, step).toBeGreaterThanOrEqual(POOL);
        proxy.onClientData = () => undefined;
        await expectWholePool();
      }
    },
  );

  test('a connection that breaks in an idle transaction is replaced before the transaction ends', async ({
    scene,
  }) => {
    const { service, proxy, admin, requests, expectWholePool } = scene;
    let proceed = () => {};
    const held = service.runtime.database.transaction(async (em) => {
      await em.execute('select 1');
      proxy.onClientData = () => 'cut';
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
      await em.execute('select 2');
    });
    await vi.waitUntil(() => requests().inUse === 1);
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()",
    );
    proxy.onClientData = () => undefined;
    await vi.waitUntil(() => requests().inUse === 0, { timeout: LONGEST });
    await expectWholePool();
    proceed();
    await expect(held).rejects.toThrow();
    await expectWholePool();
  });

  test('an abandoned transaction is ended', async ({ scene: { service, requests, expectWholePool } }) => {
    let proceed = () => {};
    const held = service.runtime.database.transaction(async (em) => {
      await em.execute('select 1');
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
    });
    const ended = expect(held).rejects.toThrow();
    await vi.waitUntil(() => requests().inUse === 1);
    await vi.waitUntil(() => requests().inUse === 0, { timeout: LONGEST });
    proceed();
    await ended;
    await expectWholePool();
  });

  test('a connection released inside a transaction is closed', async ({ scene }) => {
    const { service, requests, expectWholePool } = scene;
    await service.runtime.database.db.connection().execute((session) => sql`begin`.execute(session));
    expect(requests().lost).toBe(1);
    await expectWholePool();
  });

  test('a request with a slow statement gets 503; jobs have more time', async ({ scene }) => {
    const { service, client, admin, expectWholePool } = scene;
    const { background } = service.runtime.database;
    await expect(sql`select pg_sleep(${(2 * STATEMENT) / 1000})`.execute(background)).resolves.toBeDefined();
    await admin.query('begin');
    await admin.query('lock table organization in access exclusive mode');
    const answer = await client.get('/orgs');
    await admin.query('rollback');
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: { code: 503, message: 'The database is too busy right now; try again soon.' } },
    });
    await expectWholePool();
  });

  test('a stalled connection fails its requests with 503 and is replaced', async ({ scene }) => {
    const { service, client, proxy, expectWholePool } = scene;
    await Promise.all([...Array(POOL)].map(() => client.get('/orgs')));
    proxy.stall();
    const begun = performance.now();
    expect((await service.app.inject('/readyz')).statusCode).toBe(503);
    const answers = await Promise.all([...Array(2 * POOL)].map(() => client.get('/orgs')));
    expect(performance.now() - begun).toBeLessThan(LONGEST);
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    await vi.waitUntil(async () => (await client.get('/orgs')).status === 200, { timeout: LONGEST });
    expect((await service.app.inject('/readyz')).statusCode).toBe(200);
    await expectWholePool();
  });
});
