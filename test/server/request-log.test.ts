import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loggerOptions } from '../../server/logger.ts';
import { configuredApp } from '../helpers/configured-app.ts';
import { sendRaw } from '../helpers/raw-http.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  token = (await service.build.user()).token;
});
afterAll(() => service.close());

const bearer = () => ({ authorization: `Bearer ${token}` });

test('the log has one line for each failed request, with its caller and route but no secrets', async () => {
  const { app, lines } = await configuredApp(service.runtime, {});
  const user = await service.build.user();
  const { database } = service.runtime;
  const { transaction } = database;
  database.transaction = async () => {
    throw new Error('broken');
  };
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
  try {
    for (const [url, payload, route] of [
      ['/v1/orgs?signature=secret', '{"title":"Acme"}', '/v1/orgs'],
      ['/trpc/organizations.create?signature=secret', '{"json":{"title":"Acme"}}', '/trpc/:path'],
    ] as const) {
      lines.length = 0;
      const answer = await app.inject({ method: 'POST', url, payload, headers });
      expect(answer.statusCode).toBe(500);
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] as string)).toMatchObject({
        msg: 'request failed',
        requestId: answer.headers['x-request-id'],
        method: 'POST',
        route,
        status: 500,
        user: user.id,
        err: { message: 'broken' },
      });
      expect(lines[0]).not.toContain('secret');
      expect(lines[0]).not.toContain(user.token);
    }
  } finally {
    database.transaction = transaction;
  }
  await app.close();
});

test('the log says what to do when the database lacks what the code expects', async () => {
  const { app, lines } = await configuredApp(service.runtime, {});
  const user = await service.build.user();
  const { database } = service.runtime;
  const { transaction } = database;
  database.transaction = (work) =>
    transaction(async (em) => {
      await em.getConnection().execute('select missing from space', [], 'all', em.getTransactionContext());
      return work(em);
    });
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
  try {
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/orgs',
      payload: '{"title":"Acme"}',
      headers,
    });
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('migration');
    expect(JSON.parse(lines[0] as string).hint).toContain('npm run migration');
  } finally {
    database.transaction = transaction;
  }
  await app.close();
});

test('the log has no warning for a request rejected with a 4xx status', async () => {
  const { app, lines } = await configuredApp(service.runtime, {});
  for (const url of ['/v1/orgs/nope', '/v1/orgs?limit=0', '/trpc/nope', '/nope', '/v1/%']) {
    const { statusCode } = await app.inject({ url, headers: bearer() });
    expect(statusCode).toBeGreaterThanOrEqual(400);
    expect(statusCode).toBeLessThan(500);
  }
  expect(lines).toEqual([]);
  await app.close();
});

test('the log has one line for each request: at info for errors, at debug for the others', async () => {
  const { app, lines } = await configuredApp(service.runtime, {}, 'debug');
  const user = await service.build.user();
  const headers = { authorization: `Bearer ${user.token}` };
  const url = await app.listen({ port: 0 });
  const requests = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  for (const [path, line] of [
    ['/v1/orgs?page=secret-of-a-page', { level: 30, route: '/v1/orgs', status: 400, user: user.id }],
    ['/v1/user', { level: 20, route: '/v1/user', status: 200, user: user.id }],
    ['/trpc/users.me,users.me?batch=1', { status: 200, procedures: ['users.me', 'users.me'] }],
    ['/trpc/secret?key=secret', { level: 30, route: '/trpc/:path', status: 404 }],
    ['/secret', { level: 30, status: 404 }],
    ['/v1/%secret', { level: 30, status: 400 }],
    ['/healthz', { level: 20, route: '/healthz', status: 200 }],
  ] as const) {
    lines.length = 0;
    const answer = await fetch(url + path, { headers });
    const { length } = await answer.text();
    await vi.waitUntil(() => requests().length > 0);
    expect(requests()).toHaveLength(1);
    const requestId = answer.headers.get('x-request-id');
    expect(requests()[0]).toMatchObject({ method: 'GET', requestId, ms: expect.any(Number), ...line });
    // Including the headers, but not other responses on the connection.
    expect(requests()[0].bytes).toBeGreaterThan(length);
    expect(requests()[0].bytes).toBeLessThan(length + 3000);
    expect(lines.join()).not.toContain('secret');
  }
  await app.close();
});

test('the log has a line for a request that is not valid HTTP', async () => {
  const { app, lines } = await configuredApp(service.runtime, {}, 'info');
  await app.listen({ port: 0 });
  const { port } = app.server.address() as { port: number };
  for (const [text, line] of [
    ['secret\r\n\r\n', { status: 400 }],
    [`GET /secret HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`, { status: 431 }],
    ['GET /secret HTTP/1.1\r\nHost: x\r\nExpect: secret\r\n\r\n', { status: 417, method: 'GET' }],
    ['CONNECT secret:80 HTTP/1.1\r\nHost: x\r\n\r\n', { status: 405, method: 'CONNECT' }],
  ] as const) {
    lines.length = 0;
    const answer = await sendRaw(port, text);
    const requestId = answer.headers['x-request-id'];
    expect(lines.map((each) => JSON.parse(each))).toEqual([
      expect.objectContaining({ level: 30, msg: 'request', requestId, ...line }),
    ]);
    expect(lines.join()).not.toContain('secret');
  }
  await app.close();
});

test('the log has a line for a request whose client disconnects', async () => {
  const { app, lines } = await configuredApp(service.runtime, {}, 'info');
  let arrived: (() => void) | undefined;
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  app.get('/never', () => {
    arrived?.();
    return new Promise(() => undefined);
  });
  const url = await app.listen({ port: 0 });
  const leaving = new AbortController();
  const left = fetch(`${url}/never`, { signal: leaving.signal }).catch(() => undefined);
  await arrival;
  leaving.abort();
  await left;
  await vi.waitUntil(() => lines.some((line) => line.includes('"left":true')));
  const line = lines.map((each) => JSON.parse(each)).find(({ msg }) => msg === 'request');
  expect(line).toMatchObject({ level: 30, route: '/never', left: true });
  expect(line).not.toHaveProperty('status');
  await app.close();
});

test('the log has no object of an error, such as the client that a driver adds to it', () => {
  const lines: string[] = [];
  const logger = pino(loggerOptions('info'), { write: (line: string) => lines.push(line) });
  const lost = Object.assign(new Error('lost'), { code: '57P01', client: { options: { key: 'secret' } } });
  logger.error({ err: new Error('outer', { cause: lost }) }, 'failed');
  logger.error({ err: new AggregateError([lost], 'several') }, 'failed');
  const [outer, several] = lines.map((line) => JSON.parse(line).err);
  expect(outer).toMatchObject({ message: 'outer', cause: { message: 'lost', code: '57P01' } });
  expect(several).toMatchObject({ errors: [{ message: 'lost', code: '57P01' }] });
  expect(lines.join()).not.toContain('secret');
});

test('the log has a line for a request rejected with 503', async () => {
  const { runtime } = service;
  const { available } = runtime;
  const { app, lines } = await configuredApp(service.runtime, {});
  runtime.available = () => false;
  try {
    const answer = await app.inject({ url: '/v1/orgs', headers: bearer() });
    expect(answer.statusCode).toBe(503);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: 503, route: '/v1/orgs', requestId: answer.headers['x-request-id'] },
    ]);
  } finally {
    runtime.available = available;
  }
  await app.close();
});
