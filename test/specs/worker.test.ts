import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { petstore } from '../helpers/specs.ts';
import {
  call,
  type Environment,
  killAll,
  PATIENCE,
  runProduct,
  type Service,
  start,
  waitForOutput,
} from '../server/process-harness.ts';

let database: TestDatabase;
let dataDir: string;
let environment: Environment;
let server: Server;
/** Requests that the other server has not responded to yet. */
const held: ServerResponse[] = [];
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  dataDir = await makeFolder('test');
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    OUTBOUND_ALLOW: '127.0.0.1/32',
    BOOTSTRAP_TOKEN: 'chosen-by-the-operator-0123456789abcdef',
  };
  server = createServer((_, response) => held.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(killAll);
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await database.drop();
});

/** Starts a process for background jobs, and waits until it is ready. */
async function startWorker() {
  const worker = runProduct(['server/main.ts', 'worker'], environment);
  await waitForOutput(worker, 'is running background jobs.');
  return worker;
}

const token = () => environment.BOOTSTRAP_TOKEN as string;

async function specsOf(service: Service): Promise<string> {
  const [organization] = (await call(service, token(), '/orgs')).body.items;
  return `/orgs/${organization.id}/openapi`;
}

const untilComplete = (service: Service, path: string) =>
  vi.waitUntil(
    async () => {
      const { body } = await call(service, token(), path);
      return body.processingState === 'complete' ? body : undefined;
    },
    { timeout: PATIENCE, interval: 100 },
  );

test('a service processes specs itself', async () => {
  const service = await start(environment);
  const path = await specsOf(service);
  await call(service, token(), path, { slug: 'own', source: { text: petstore() } });
  expect(await untilComplete(service, `${path}/own`)).toHaveProperty('lastVersion');
  await service.stop();
});

test('a service can leave jobs to workers; when a worker is killed, another one continues its job', async () => {
  const service = await start({ ...environment, JOBS: 'false' });
  const path = await specsOf(service);
  await call(service, token(), path, { slug: 'left', source: { text: petstore() } });
  const killed = await startWorker();
  expect(await untilComplete(service, `${path}/left`)).toHaveProperty('lastVersion');

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`;
  await call(service, token(), path, { slug: 'fetched', source: { url } });
  await vi.waitUntil(() => held.length === 1, { timeout: PATIENCE });
  const { body } = await call(service, token(), `${path}/fetched`);
  expect(body.processingState).toBe('progress');
  killed.process.kill('SIGKILL');
  await killed.exit;

  const worker = await startWorker();
  await vi.waitUntil(() => held.length === 2, { timeout: PATIENCE });
  held[1]?.end(petstore());
  const spec = await untilComplete(service, `${path}/fetched`);
  const { body: versions } = await call(service, token(), `${path}/fetched/versions`);
  expect(versions.items.map(({ id }: { id: string }) => id)).toEqual([spec.lastVersion]);
  worker.process.kill('SIGTERM');
  expect(await worker.exit).toBe(0);
  expect(await service.stop()).toMatchObject({ code: 0 });
});
