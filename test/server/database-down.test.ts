import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type DatabaseProxy, proxiedUrl, startProxy, targetOf } from '../helpers/proxy.ts';
import { call, killAll, launch, start } from './process-harness.ts';

/** Supervisors allow 10 seconds or more; the service promises less. */
const STOP_LIMIT = 9500;
/** Connecting may take 5 seconds; the rest is for a busy machine. */
const START_LIMIT = 50_000;

const TOKEN = 'chosen-by-the-operator-0123456789abcdef';

let dataDir: string;
let proxy: DatabaseProxy;
beforeEach(async () => {
  dataDir = await makeFolder('test');
  // It accepts connections and never sends anything.
  proxy = await startProxy();
});
afterEach(async () => {
  killAll();
  await proxy.close();
});

const silent = () => ({ DATABASE_URL: `postgres://x:y@127.0.0.1:${proxy.port}/z`, DATA_DIR: dataDir });

test('a start fails with one clear line if the database never responds', async () => {
  const begun = performance.now();
  const program = launch(silent());
  expect(await program.exit).toBe(1);
  expect(performance.now() - begun).toBeLessThan(START_LIMIT);
  expect(program.stderr).toBe(
    'Colophon could not start: the database of DATABASE_URL cannot be used: ' +
      `127.0.0.1:${proxy.port} did not respond within 5 seconds.\n`,
  );
});

test('a service told to stop while it waits for the database at the start exits in time', async () => {
  const program = launch(silent());
  await sleep(2000);
  const begun = performance.now();
  program.process.kill('SIGTERM');
  await program.exit;
  expect(performance.now() - begun).toBeLessThan(STOP_LIMIT);
});

test('a service told to stop while its database hangs exits in time, with requests and jobs in progress', async () => {
  const database = await createTestDatabase({ empty: true });
  proxy.target = targetOf(database.url);
  const environment = { DATA_DIR: dataDir, BOOTSTRAP_TOKEN: TOKEN };
  const service = await start({ ...environment, DATABASE_URL: proxiedUrl(proxy, database.url) });
  expect(await call(service, TOKEN, '/user')).toMatchObject({ status: 200 });
  proxy.target = undefined;
  proxy.stall();
  const lost = Promise.allSettled([
    call(service, TOKEN, '/orgs'),
    call(service, TOKEN, '/orgs', { title: 'x' }),
  ]);
  await sleep(500);
  const { code, took } = await service.stop();
  expect(code).toBe(0);
  expect(took).toBeLessThan(STOP_LIMIT);
  for (const { status } of await lost) expect(status).toBe('rejected');
  await database.drop();
});

test('while the database is down, the log says so a few times, however many queues and loops notice it', async () => {
  const database = await createTestDatabase({ empty: true });
  proxy.target = targetOf(database.url);
  const environment = { DATA_DIR: dataDir, BOOTSTRAP_TOKEN: TOKEN };
  const service = await start({ ...environment, DATABASE_URL: proxiedUrl(proxy, database.url) });
  const [{ id }] = (await call(service, TOKEN, '/orgs')).body.items;
  const events = await fetch(`${service.url}/v1/orgs/${id}/events`, {
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' },
  });
  await proxy.close();
  await sleep(9000);
  const lines = service.stdout.split('\n').filter((line) => line.includes('ECONNREFUSED'));
  const messages = lines.map((line) => JSON.parse(line).msg);
  expect(messages).toContain('job queue');
  expect(messages).toContain('events could not be read');
  expect(new Set(messages).size).toBe(messages.length);
  await events.body?.cancel();
  proxy = await startProxy();
  await service.stop();
  await database.drop();
});
