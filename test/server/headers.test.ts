import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuredApp } from '../helpers/configured-app.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  token = (await service.build.user()).token;
});
afterAll(() => service.close());

const bearer = () => ({ authorization: `Bearer ${token}` });

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
    const { app } = await configuredApp(service.runtime, { PUBLIC_URL: url });
    const { headers } = await app.inject('/healthz');
    expect(headers['strict-transport-security']).toBe(told);
    await app.close();
  });
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
  const { app } = await configuredApp(service.runtime, { TRUST_PROXY: 'true' });
  const ask = async (from: typeof app, id: string) =>
    (await from.inject({ url: '/healthz', headers: { 'x-request-id': id } })).headers['x-request-id'];
  expect(await ask(app, 'abc-1.2:3')).toBe('abc-1.2:3');
  for (const id of ['a b', 'a"b', 'a'.repeat(129), 'ä']) expect(await ask(app, id)).not.toBe(id);
  expect(await ask(service.app, 'abc')).not.toBe('abc');
  await app.close();
});
