import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { call, killAll, PATIENCE, start } from './process-harness.ts';

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  dataDir = await makeFolder('test');
});
afterEach(killAll);
afterAll(async () => {
  await database.drop();
});

test('services that start at once on an empty database share it: one migrates it, all serve it', async () => {
  const environment = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  const services = await Promise.all([start(environment), start(environment), start(environment)]);
  const [token, ...others] = services.flatMap((service) => service.token ?? []);
  expect(others).toEqual([]);
  for (const service of services) {
    const { body } = await call(service, token, '/orgs');
    expect(body.count).toBe(1);
  }
  const [first, second, third] = services as [
    (typeof services)[0],
    (typeof services)[0],
    (typeof services)[0],
  ];
  const { status, body } = await call(first, token, '/orgs', { title: 'Made by one' });
  expect(status).toBe(201);
  expect((await call(second, token, `/orgs/${body.id}`)).body.title).toBe('Made by one');

  await first.stop('SIGKILL');
  expect(await call(third, token, '/orgs')).toMatchObject({ status: 200 });
  expect(await second.stop()).toMatchObject({ code: 0 });
  expect(await third.stop()).toMatchObject({ code: 0 });
});

test('a service reconnects without a restart after all its connections were cut', async () => {
  const token = 'chosen-by-the-operator-0123456789abcdef';
  const own = await createTestDatabase({ empty: true });
  const service = await start({ DATABASE_URL: own.url, DATA_DIR: dataDir, BOOTSTRAP_TOKEN: token });
  const admin = new pg.Client({ connectionString: own.url });
  await admin.connect();
  const cut =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  for (let round = 0; round < 3; round++) {
    await admin.query(cut);
    const { status } = await call(service, token, '/orgs');
    expect([200, 503]).toContain(status);
    await vi.waitUntil(async () => (await call(service, token, '/orgs')).status === 200, {
      timeout: PATIENCE,
    });
  }
  await admin.end();
  expect(await service.stop()).toMatchObject({ code: 0 });
  await own.drop();
});
