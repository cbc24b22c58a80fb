import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { call, killAll, type Service, start } from '../server/process-harness.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { openStream } from './reader.ts';

const TOKEN = 'chosen-by-the-operator-0123456789abcdef';

let database: TestDatabase;
let dataDir: string;
let receiver: Receiver | undefined;
const begin = () =>
  start({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    OUTBOUND_ALLOW: '127.0.0.1/32',
  });
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  dataDir = await makeFolder('test');
});
afterEach(() => {
  killAll();
  receiver?.close();
});
afterAll(async () => {
  await database.drop();
});

const organizationOf = async (service: Service): Promise<string> =>
  (await call(service, TOKEN, '/orgs')).body.items[0].id;

const streamOf = (service: Service, organization: string) =>
  openStream(Number(new URL(service.url).port), `/v1/orgs/${organization}/events`, {
    authorization: `Bearer ${TOKEN}`,
  });

/** Creates spaces, and returns their ids. */
async function createSpaces(service: Service, organization: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    let created = await call(service, TOKEN, `/orgs/${organization}/spaces`, { title: `Space ${i}` });
    while (created.status === 503)
      created = await call(service, TOKEN, `/orgs/${organization}/spaces`, { title: `Space ${i}` });
    expect(created.status).toBe(201);
    ids.push(created.body.id);
  }
  return ids;
}

test('a stream has the events of all processes, in order, including those from while its process could not listen', async () => {
  const [writer, other] = [await begin(), await begin()];
  const organization = await organizationOf(writer);
  const stream = await streamOf(other, organization);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const written = await createSpaces(writer, organization, 3);
  await stream.until(3);
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'colophon events'`,
  );
  written.push(...(await createSpaces(writer, organization, 3)));
  const messages = await stream.until(6);
  expect(messages.map(({ data }) => JSON.parse(data).space)).toEqual(written);
  const { rows } = await admin.query(
    `select 1 from pg_stat_activity where datname = current_database() and application_name = 'colophon events'`,
  );
  expect(rows).toHaveLength(1);
  await admin.end();
  const { code, took } = await other.stop();
  expect(code).toBe(0);
  expect(took).toBeLessThan(9000);
  expect(await stream.ended()).toHaveLength(6);
  await writer.stop();
});

test('a delivery that a killed process had started is repeated by another, under the same id', async () => {
  receiver = await startReceiver();
  const killed = await begin();
  const organization = await organizationOf(killed);
  const { url } = receiver;
  const types = ['space.created'];
  const { status } = await call(killed, TOKEN, `/orgs/${organization}/webhooks`, { url, types });
  expect(status).toBe(201);
  receiver.respond(() => undefined);
  const spaces = await createSpaces(killed, organization, 5);
  await receiver.until(1);
  await killed.stop('SIGKILL');
  const begun = receiver.received.length;
  receiver.respond(() => ({ status: 200 }));
  const next = await begin();
  const { received } = receiver;
  await vi.waitUntil(
    () => new Set(received.slice(begun).map(({ body }) => JSON.parse(body).space)).size === spaces.length,
    { timeout: 180_000, interval: 200 },
  );
  const ids = new Map<string, Set<unknown>>();
  for (const { headers, body } of received) {
    const { space } = JSON.parse(body);
    ids.set(space, (ids.get(space) ?? new Set()).add(headers['webhook-id']));
  }
  expect([...ids.keys()].sort()).toEqual(spaces.sort());
  expect([...ids.values()].every((known) => known.size === 1)).toBe(true);
  await next.stop();
});
