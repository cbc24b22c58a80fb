import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { jobContext } from '../../server/context.ts';
import { openRuntime, type Runtime } from '../../server/runtime.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';

const lines: object[] = [];
const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

let testDatabase: TestDatabase;
let dataDir: string;
let runtime: Runtime;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  dataDir = await makeFolder('test');
  const config = readConfig({ DATABASE_URL: testDatabase.url, DATA_DIR: dataDir });
  runtime = await openRuntime(config, { role: 'service', logger });
});
afterAll(async () => {
  await runtime.close();
  await testDatabase.drop();
});

test('a job that fails is in the log', async () => {
  const { database, services, jobs } = runtime;
  const transaction = () => Promise.reject(new Error('no space left'));
  await jobs.work({ ...jobContext(database, services), transaction });
  await jobs.enqueue(database.db, 'refresh-openapi-specs', { data: {} });
  await vi.waitUntil(() => lines.length > 0, { timeout: 30_000 });
  expect(lines[0]).toMatchObject({ job: 'refresh-openapi-specs', err: { message: 'no space left' } });
});
