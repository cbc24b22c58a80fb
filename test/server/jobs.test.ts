import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildApp } from '../../server/app.ts';
import { type Config, readConfig } from '../../server/config.ts';
import { jobContext } from '../../server/context.ts';
import { openRuntime, type Runtime } from '../../server/runtime.ts';
import { createBuilders } from '../helpers/builders.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';

const lines: object[] = [];
const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

/** The spans that a trace collector received. */
const spans: Span[] = [];
const sentHeaders: unknown[] = [];
const collector = createServer(async (request, response) => {
  const { resourceSpans } = (await json(request)) as {
    resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
  };
  spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
  sentHeaders.push([request.url, request.headers['x-key']]);
  response.end('{}');
});

let testDatabase: TestDatabase;
let config: Config;
let runtime: Runtime;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  config = readConfig({
    DATABASE_URL: testDatabase.url,
    DATA_DIR: await makeFolder('test'),
    MAX_EVENT_LOOP_DELAY: '0',
    TRUST_PROXY: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret',
  });
  runtime = await openRuntime(config, { role: 'service', logger });
});
afterAll(async () => {
  await runtime.close();
  await testDatabase.drop();
  collector.close();
});

test('all queues notice that a process has died, also those that an earlier version created', async () => {
  const queues = async () => {
    const { rows } = await sql<{ name: string; heartbeat: number | null; expire: number }>`
      select name, heartbeat_seconds as heartbeat, expire_seconds as expire from pgboss.queue
      where name not like '\\_\\_%' order by name`.execute(runtime.database.db);
    return rows;
  };
  const made = await queues();
  expect(made.length).toBeGreaterThan(20);
  for (const { name, heartbeat } of made) expect([10, 30], name).toContain(heartbeat);
  await sql`update pgboss.queue set heartbeat_seconds = null, expire_seconds = 900`.execute(
    runtime.database.db,
  );
  const other = await openRuntime(config, { role: 'service', logger });
  try {
    expect(await queues()).toEqual(made);
  } finally {
    await other.close();
  }
});

test('a failed job is logged', async () => {
  const { database, services, jobs } = runtime;
  const transaction = () => Promise.reject(new Error('no space left'));
  await jobs.work({ ...jobContext(database, services), transaction });
  await jobs.enqueue(database.db, 'refresh-openapi-specs', { data: {} });
  const err = expect.objectContaining({ message: 'no space left' });
  const failure = expect.objectContaining({ job: 'refresh-openapi-specs', err });
  await vi.waitFor(() => expect(lines).toContainEqual(failure), { timeout: 30_000 });
});

test('requests, their statements, and jobs are traced, without URLs, tokens and values', async () => {
  const app = await buildApp(runtime, config, logger);
  const build = createBuilders(runtime.database);
  const { admin: owner, ...organization } = await build.organization();
  const headers = { authorization: `Bearer ${owner.token}` };
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  const url = `/v1/orgs/${organization.id}?secret=hush`;
  expect((await app.inject({ url, headers: { ...headers, traceparent } })).statusCode).toBe(200);
  const payload = { title: "O'Reilly" };
  const made = await app.inject({
    method: 'POST',
    url: `/v1/orgs/${organization.id}/spaces`,
    headers,
    payload,
  });
  expect(made.statusCode).toBe(201);
  expect((await app.inject({ url: '/v1/%', headers: { traceparent: 'nonsense' } })).statusCode).toBe(400);
  await app.close();
  const open = await buildApp(runtime, { ...config, trustedProxies: 0 }, logger);
  await open.inject({ url: '/v1/orgs', headers: { ...headers, traceparent } });
  await open.close();
  await runtime.tracing?.span('by hand', 'internal', {}, () =>
    sql`select 'hush', 'it''s hush' as text`.execute(runtime.database.db),
  );
  await runtime.tracing?.close();

  expect(sentHeaders).toContainEqual(['/v1/traces', 'a secret']);
  const named = (name: string) => spans.find((span) => span.name === name) as Span;
  const attributesOf = ({ attributes }: Span) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  const within = ({ spanId }: Span) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);

  const read = named('GET /v1/orgs/:organizationId');
  expect(read).toMatchObject({ traceId: 'ab'.repeat(16), parentSpanId: 'cd'.repeat(8) });
  expect(attributesOf(read)).toMatchObject({
    'http.route': '/v1/orgs/:organizationId',
    'http.response.status_code': 200,
    'enduser.id': owner.id,
    'colophon.procedures': { values: [{ stringValue: 'organizations.get' }] },
  });
  expect(within(read).map(({ name }) => name)).toContain('select');

  expect(named('GET /v1/orgs').parentSpanId).toBeFalsy();
  const [statement] = within(named('by hand'));
  expect(attributesOf(statement as Span)['db.query.text']).toBe('select ?, ? as text');

  const created = named('POST /v1/orgs/:organizationId/spaces');
  const transaction = within(created).find(({ name }) => name === 'transaction') as Span;
  const statements = within(transaction).map((span) => attributesOf(span)['db.operation.name']);
  expect(statements).toEqual(expect.arrayContaining(['begin', 'insert', 'commit']));
  const failed = named('job refresh-openapi-specs');
  expect(failed.status.code).toBe(2);
  expect(JSON.stringify(spans)).not.toMatch(new RegExp(`hush|O'Reilly|${owner.token}`));
});
