import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { loggerOptions } from '../../server/logger.ts';
import { inCheckout } from '../helpers/checkout.ts';
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

/** Another application on the same installation, and its log. */
async function configured(environment: Record<string, string>, level = 'warn') {
  const lines: string[] = [];
  const logger = pino(loggerOptions(level), { write: (line: string) => lines.push(line) });
  const config = readConfig({ MAX_EVENT_LOOP_DELAY: '0', ...environment });
  return { app: await buildApp(service.runtime, config, logger), lines };
}

describe('caches', () => {
  test.for(['/v1/user', '/v1/orgs', '/trpc/users.me'])(
    'a response to a caller is private and must be revalidated: %s',
    async (url) => {
      const { headers, statusCode } = await service.app.inject({ url, headers: bearer() });
      expect(statusCode).toBe(200);
      expect(headers['cache-control']).toBe('private, no-cache');
    },
  );

  test.for(['/v1/nope', '/v1/orgs/nope', '/trpc/a/b', '/v1/orgs?limit=0', '/nope', '/v1/%'])(
    'errors are not cached: %s',
    async (url) => {
      const { headers } = await service.app.inject({ url, headers: bearer() });
      expect(headers['cache-control']).toBe('no-store');
    },
  );

  test.for([
    ['the exact tag', (tag: string) => tag],
    ['its strong form', (tag: string) => tag.replace('W/', '')],
    ['a list that contains it', (tag: string) => `"other", ${tag},W/"third"`],
    ['any', () => '*'],
  ] as const)('a read gets 304 if If-None-Match is %s', async ([, given]) => {
    const { headers } = await service.app.inject({ url: '/v1/user', headers: bearer() });
    expect(headers.etag).toMatch(/^W\/"/);
    for (const method of ['GET', 'HEAD'] as const) {
      const again = await service.app.inject({
        method,
        url: '/v1/user',
        headers: { ...bearer(), 'if-none-match': given(String(headers.etag)) },
      });
      expect(again).toMatchObject({ statusCode: 304, body: '' });
      expect(again.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'private, no-cache' });
      expect(again.headers).not.toHaveProperty('content-length');
    }
  });

  test.for(['/v1/user', '/trpc/users.me', '/v1/openapi.json'])(
    'a read gets 304 with the Cache-Control: no-cache that fetch() adds to If-None-Match: %s',
    async (url) => {
      const { headers } = await service.app.inject({ url, headers: bearer() });
      const conditional = { 'if-none-match': String(headers.etag), 'cache-control': 'no-cache' };
      const again = await service.app.inject({ url, headers: { ...bearer(), ...conditional } });
      expect(again).toMatchObject({ statusCode: 304, body: '' });
    },
  );

  test('writes and errors ignore If-None-Match', async () => {
    const headers = { ...bearer(), 'if-none-match': '*' };
    const url = '/v1/user/tokens';
    expect((await service.app.inject({ method: 'POST', url, headers })).statusCode).toBe(201);
    const call = { method: 'POST', url: '/trpc/organizations.create', headers } as const;
    expect((await service.app.inject({ ...call, payload: { json: { title: 'Acme' } } })).statusCode).toBe(
      200,
    );
    expect((await service.app.inject({ url: '/v1/orgs/nope', headers })).statusCode).toBe(404);
  });
});

test('scripts on other origins may read the headers that clients need', async () => {
  const headers = { ...bearer(), origin: 'https://app.example' };
  const answer = await service.app.inject({ url: '/v1/user', headers });
  const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
  expect(exposed).toEqual(
    expect.arrayContaining(['ETag', 'Location', 'Retry-After', 'X-Ignored-Input', 'X-RateLimit-Remaining']),
  );
});

test('a created object is found at the Location of the response', async () => {
  const { id: organization, admin } = await service.build.organization();
  for (const [path, body] of [
    [`/v1/orgs/${organization}/sites`, { title: 'Docs' }],
    [`/v1/orgs/${organization}/webhooks/`, { url: 'https://hooks.example/', types: ['space.created'] }],
  ] as const) {
    const headers = { authorization: `Bearer ${admin.token}` };
    const made = await service.app.inject({ method: 'POST', url: path, headers, payload: body });
    expect([made.statusCode, made.json()]).toEqual([
      201,
      expect.objectContaining({ id: expect.any(String) }),
    ]);
    const url = new URL(String(made.headers.location), 'http://docs.test').pathname;
    const found = await service.app.inject({ url, headers });
    expect(found.json().id).toBe(made.json().id);
  }
});

describe('unknown input', () => {
  const patch = (payload: object, headers = {}, query = '') =>
    service.app.inject({ url: '/v1/user', headers: bearer() }).then((me) =>
      service.app.inject({
        method: 'PATCH',
        url: `/v1/users/${me.json().id}${query}`,
        headers: { ...bearer(), ...headers },
        payload,
      }),
    );
  const strict = { prefer: 'respond-async, handling=strict' };

  test('unknown input is ignored and listed, in safe characters', async () => {
    const answer = await patch({ displayName: 'Ada', 'nick\r\nname': 1, ünknown: 2 }, {}, '?fields=id');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-ignored-input']).toBe('fields, nick%0D%0Aname, %C3%BCnknown');
    const read = await service.app.inject({ url: '/v1/orgs?expand=all&limit=1', headers: bearer() });
    expect(read.headers['x-ignored-input']).toBe('expand');
    const known = await service.app.inject({ url: '/v1/orgs?limit=1', headers: bearer() });
    expect(known.headers).not.toHaveProperty('x-ignored-input');
  });

  test('members of a body are not read from the query, with or without a body', async () => {
    const name = async () =>
      (await service.app.inject({ url: '/v1/user', headers: bearer() })).json().displayName;
    const before = await name();
    for (const payload of [{}, undefined]) {
      const answer = await patch(payload as object, {}, '?displayName=Eve');
      expect([answer.statusCode, answer.headers['x-ignored-input']]).toEqual([200, 'displayName']);
      expect((await patch(payload as object, strict, '?displayName=Eve')).statusCode).toBe(400);
    }
    expect(await name()).toBe(before);
  });

  test('unknown input is listed briefly, however much there is', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${index}-${'😀'.repeat(99)}`, 0]),
    );
    const { headers } = await patch(many);
    expect(String(headers['x-ignored-input']).length).toBeLessThan(1100);
    expect(headers['x-ignored-input']).toMatch(/, \.\.\.$/);
  });

  test('unknown input is listed where it is nested', async () => {
    const { id: organization, admin } = await service.build.organization();
    const headers = { authorization: `Bearer ${admin.token}` };
    const made = await service.app.inject({
      method: 'POST',
      url: `/v1/orgs/${organization}/spaces`,
      headers,
      payload: { title: 'Guide' },
    });
    const change = {
      operation: 'insert_page',
      title: 'A',
      titel: 'B',
      document: { markdown: 'x', extra: 1 },
    };
    const payload = { changes: [change] };
    const url = `/v1/spaces/${made.json().id}/content`;
    const refused = await service.app.inject({
      method: 'POST',
      url,
      headers: { ...headers, ...strict },
      payload,
    });
    expect(refused.statusCode).toBe(400);
    const paths = refused.json().error.details.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['changes.0.document.extra', 'changes.0.titel']);
    const taken = await service.app.inject({ method: 'POST', url, headers, payload });
    expect([taken.statusCode, taken.headers['x-ignored-input']]).toEqual([
      200,
      'changes.0.titel, changes.0.document.extra',
    ]);
  });

  test('unknown input is rejected if the client prefers that, and changes nothing', async () => {
    const refused = await patch({ displayName: 'Strict', nickname: 'x' }, strict);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.details).toEqual([{ path: 'nickname', message: 'is unknown' }]);
    const me = await service.app.inject({ url: '/v1/user', headers: { ...bearer(), ...strict } });
    expect(me.json().displayName).not.toBe('Strict');
    expect(me.headers['preference-applied']).toBe('handling=strict');
    const unknown = await service.app.inject({ url: '/v1/user?x=1', headers: strict });
    expect(unknown.statusCode).toBe(401);
  });
});

test('the root of the API links to its description', async () => {
  const root = await service.app.inject('/v1');
  expect(root.json()).toMatchObject({ object: 'api', urls: { openapi: 'http://docs.test/v1/openapi.json' } });
  const document = await service.app.inject('/v1/openapi.json');
  expect(document.json().openapi).toMatch(/^3\.1/);
});

describe('HTTPS', () => {
  test.for([
    ['https://docs.example', 'max-age=31536000'],
    ['HTTPS://Docs.Example', 'max-age=31536000'],
    ['http://docs.example', undefined],
  ] as const)('HSTS is sent only if the service is behind HTTPS: %s', async ([url, told]) => {
    const { app } = await configured({ PUBLIC_URL: url });
    const { headers } = await app.inject('/healthz');
    expect(headers['strict-transport-security']).toBe(told);
    await app.close();
  });
});

test('metrics are public unless a token is configured', async () => {
  expect((await service.app.inject('/metrics')).statusCode).toBe(200);
  const METRICS_TOKEN = 'm'.repeat(32);
  const { app } = await configured({ METRICS_TOKEN });
  const ask = async (authorization = '') => {
    const { statusCode } = await app.inject({ url: '/metrics', headers: { authorization } });
    return statusCode;
  };
  expect(await ask()).toBe(401);
  expect(await ask(`Bearer ${METRICS_TOKEN}x`)).toBe(401);
  expect(await ask(`Bearer ${token}`)).toBe(401);
  expect(await ask(`Bearer ${METRICS_TOKEN}`)).toBe(200);
  await app.close();
});

test('metrics include jobs, webhooks, imports and merges, and the dashboard uses no other metrics', async () => {
  const { measurements } = service.runtime;
  const valuesIn = (text: string) =>
    new Map([...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));
  // The service may have been used by another file.
  const before = valuesIn((await service.app.inject('/metrics')).body);
  measurements.record({ work: 'job', queue: 'send-mail', outcome: 'failed' }, 2);
  measurements.record({ work: 'webhook-attempt', outcome: 'refused' }, 0.2);
  measurements.record({ work: 'import', outcome: 'imported' }, 20);
  measurements.record({ work: 'merge', outcome: 'conflicts' }, 0.1);
  const metrics = (await service.app.inject('/metrics')).body;
  const after = valuesIn(metrics);
  for (const [name, value] of [
    ['database_up', 1],
    ['jobs{queue="send-mail",state="ready"}', 0],
    ['webhook_deliveries_pending', 0],
    ['webhook_delivery_lag_seconds', 0],
  ] as const)
    expect(after.get(name), name).toBe(value);
  for (const [name, increase] of [
    ['job_duration_seconds_count{queue="send-mail",outcome="failed"}', 1],
    ['webhook_attempt_duration_seconds_count{outcome="refused"}', 1],
    ['import_duration_seconds_sum{outcome="imported"}', 20],
    ['change_request_merge_duration_seconds_count{outcome="conflicts"}', 1],
  ] as const)
    expect((after.get(name) ?? 0) - (before.get(name) ?? 0), name).toBeCloseTo(increase, 6);

  const labelsOf = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of metrics.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labelsOf.get(name) ?? new Set(['instance']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    labelsOf.set(name, known);
  }
  const text = await readFile(inCheckout('server/deploy/grafana-dashboard.json'), 'utf8');
  const expressions = [...text.matchAll(/"expr": "(.*)",$/gm)].map(([, expression = '']) => expression);
  expect(expressions.length).toBeGreaterThan(20);
  for (const expression of expressions) {
    const [, name = ''] = /(\w+)\{/.exec(expression) ?? [];
    const used = [...expression.matchAll(/by \(([^)]*)\)|(\w+)=/g)];
    const labels = used.flatMap(([, list, one]) => one ?? list?.split(', ') ?? []);
    expect([...(labelsOf.get(name) ?? [])], expression).toEqual(expect.arrayContaining(labels));
  }
});

test.for(['/v1/user', '/v1/nope', '/healthz', '/trpc/nope', '/v1/%'])(
  'the request id is in every response: %s',
  async (url) => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await service.app.inject({ url, headers: bearer() })).headers['x-request-id']),
    );
    expect(ids[0]).toMatch(/^[\w-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
  },
);

test('the request id is that of the trusted proxy if it is valid', async () => {
  const { app } = await configured({ TRUST_PROXY: 'true' });
  const ask = async (from: typeof app, id: string) =>
    (await from.inject({ url: '/healthz', headers: { 'x-request-id': id } })).headers['x-request-id'];
  expect(await ask(app, 'abc-1.2:3')).toBe('abc-1.2:3');
  for (const id of ['a b', 'a"b', 'a'.repeat(129), 'ä']) expect(await ask(app, id)).not.toBe(id);
  expect(await ask(service.app, 'abc')).not.toBe('abc');
  await app.close();
});

test('the log has one line for each failed request, with its caller and route but no secrets', async () => {
  const { app, lines } = await configured({});
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
  const { app, lines } = await configured({});
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
  const { app, lines } = await configured({});
  for (const url of ['/v1/orgs/nope', '/v1/orgs?limit=0', '/trpc/nope', '/nope', '/v1/%']) {
    const { statusCode } = await app.inject({ url, headers: bearer() });
    expect(statusCode).toBeGreaterThanOrEqual(400);
    expect(statusCode).toBeLessThan(500);
  }
  expect(lines).toEqual([]);
  await app.close();
});

test('the log has one line for each request: at info for errors, at debug for the others', async () => {
  const { app, lines } = await configured({}, 'debug');
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
  const { app, lines } = await configured({}, 'info');
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
  const { app, lines } = await configured({}, 'info');
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
  const { app, lines } = await configured({});
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
