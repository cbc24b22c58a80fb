import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { DatabaseClient } from '../../server/database/client.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let beside: pg.Client;
beforeAll(async () => {
  service = await startTestService();
  beside = new pg.Client({ connectionString: service.databaseUrl });
  await beside.connect();
});
afterAll(async () => {
  await beside.end();
  await service.close();
});

/** Collects the statements that record uses of tokens. */
function watchUpdates() {
  const query = vi.spyOn(DatabaseClient.prototype, 'run');
  return () =>
    query.mock.calls.flatMap(([sent], index) =>
      JSON.stringify(sent).includes('update api_token') ? [query.mock.results[index]?.value as unknown] : [],
    );
}
afterEach(() => vi.restoreAllMocks());

const lastUseOf = async (client: Client): Promise<string | undefined> =>
  (await client.get('/user/tokens')).body.items[0].lastUsedAt;

test('of many concurrent requests with a token, one records its use', async () => {
  const client = service.as((await service.build.user()).token);
  const updates = watchUpdates();
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/user')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await vi.waitFor(async () => expect(await lastUseOf(client)).toBeDefined());
  expect(updates()).toHaveLength(1);
});

test('no request waits until its use is recorded', async () => {
  const person = await service.build.user();
  const client = service.as(person.token);
  await beside.query('begin');
  await beside.query('update api_token set name = name where user_id = $1', [person.id]);
  // Another process may have locked the row: the request still gets its response, and no connection waits for the row.
  const updates = watchUpdates();
  expect((await client.get('/user')).status).toBe(200);
  await vi.waitFor(() => expect(updates()).toHaveLength(1));
  await updates()[0];
  await beside.query('rollback');
});

test('a use within the last minute is not recorded again', async () => {
  const person = await service.build.user();
  const recent = new Date(Date.now() - 30_000).toISOString();
  await beside.query('update api_token set last_used_at = $1 where user_id = $2', [recent, person.id]);
  expect(await lastUseOf(service.as(person.token))).toBe(recent);
  await service.as(person.token).get('/user');
  expect(await lastUseOf(service.as(person.token))).toBe(recent);
});
