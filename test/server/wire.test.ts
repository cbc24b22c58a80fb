import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../helpers/builders.ts';
import { sendRaw } from '../helpers/raw-http.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let person: Person;
let organizationId: string;
beforeAll(async () => {
  service = await startTestService();
  const organization = await service.build.organization();
  organizationId = organization.id;
  person = organization.admin;
});
afterAll(() => service.close());

interface Raw {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  url: string;
  body?: string | Buffer;
  headers?: Record<string, string | undefined>;
}

/** Sends raw bytes; the content type of a body is JSON unless the headers say otherwise. */
async function send({ method = 'GET', url, body, headers = {} }: Raw) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const given = { authorization: `Bearer ${person.token}`, ...type, ...headers };
  const answer = await service.app.inject({
    method,
    url,
    payload: body,
    headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

/** Expects an error in the usual format, without internals. */
async function expectError(request: Raw, code: number) {
  const answer = await send(request);
  expect(answer.status, answer.text).toBe(code);
  const body = JSON.parse(answer.text);
  expect(Object.keys(body)).toEqual(['error']);
  expect(body.error).toMatchObject({ code, message: expect.stringMatching(/^[A-Z].*[.]?$/) });
  expect(answer.text).not.toMatch(/FST_|node_modules|select |\.ts:/);
  return { ...answer, body };
}

const nested = (levels: number) => `{"title":"Acme","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('bodies', () => {
  const post = (body?: string | Buffer, headers?: Raw['headers']): Raw => ({
    method: 'POST',
    url: '/v1/orgs',
    body,
    headers,
  });

  test.for([
    ['unfinished JSON', '{"title":'],
    ['JSON with a trailing comma', '{"title":"Acme",}'],
    ['bytes that are not UTF-8', Buffer.from('{"title":"Ac\xff\xfeme"}', 'latin1')],
    ['a NUL in a string', '{"title":"A\\u0000cme"}'],
    ['half a surrogate pair', '{"title":"A\\ud800cme"}'],
    ['a NUL in an unknown key', '{"title":"Acme","deep":[{"a\\u0000":1}]}'],
    ['an array', '[{"title":"Acme"}]'],
    ['a string', '"title"'],
    ['a number', '1'],
    ['a number instead of a string', '{"title":1}'],
    ['deep nesting', nested(200_000)],
  ] as const)('an invalid body is rejected with 400: %s', async ([, body]) => {
    await expectError(post(body), 400);
  });

  test('an error about a character that is not text names its place, as any other error does', async () => {
    for (const fill of ['', 'x'.repeat(150_000)]) {
      const { body } = await expectError(post(JSON.stringify({ title: 'A\0', fill })), 400);
      expect(body.error.message).toBe('The request is not valid: `title` must be valid Unicode without NUL.');
      expect(body.error.details).toEqual([{ path: 'title', message: 'must be valid Unicode without NUL' }]);
    }
  });

  test('an error about the whole body says so in terms of the request', async () => {
    const { body } = await expectError(post('[{"title":"Acme"}]'), 400);
    expect(body.error).toEqual({
      code: 400,
      message: 'The request is not valid: its content must be an object.',
      details: [{ path: '', message: 'must be an object' }],
    });
  });

  test('values in a body are not coerced: "false" is not a boolean', async () => {
    const url = `/v1/orgs/${organizationId}`;
    const { body } = await expectError({ method: 'PATCH', url, body: '{"ai":"false"}' }, 400);
    expect(body.error.details).toEqual([{ path: 'ai', message: expect.any(String) }]);
  });

  test.for([
    ['a form', 'title=Acme', 'application/x-www-form-urlencoded'],
    ['multipart', '--a\r\n\r\n--a--', 'multipart/form-data; boundary=a'],
    ['text', '{"title":"Acme"}', 'text/plain'],
    ['a body without a content type', '{"title":"Acme"}', undefined],
    ['a body of a malformed content type', '{"title":"Acme"}', 'nonsense'],
  ] as const)('%s is rejected with 415', async ([, body, type]) => {
    await expectError(post(body, { 'content-type': type }), 415);
  });

  test('a body over the limit is rejected with 413', async () => {
    await expectError(post(JSON.stringify({ title: 'a'.repeat(2 * 1024 * 1024) })), 413);
  });

  test.for(['gzip', 'br', 'deflate', 'zstd', 'nonsense', 'identity, gzip'])(
    'a body with the encoding %s is rejected with 415, and the response lists the supported encodings',
    async (encoding) => {
      const { headers } = await expectError(
        post(gzipSync('{"title":"Acme"}'), { 'content-encoding': encoding }),
        415,
      );
      expect(headers['accept-encoding']).toBe('identity');
    },
  );

  test('a GET request with a body is rejected with 400', async () => {
    await expectError({ url: '/v1/orgs', body: '{}' }, 400);
  });

  test('a body cannot change a prototype', async () => {
    const body =
      '{"title":"Acme","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"json":{"a":1}}';
    expect((await send(post(body))).status).toBe(201);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a body may be omitted if nothing in it is required, with and without a content type', async () => {
    const url = '/v1/user/tokens';
    for (const type of [undefined, 'application/json', 'text/plain']) {
      const headers = { 'content-type': type };
      expect((await send({ method: 'POST', url, headers })).status).toBe(201);
      expect((await send({ method: 'POST', url, body: '', headers })).status).toBe(201);
    }
    expect((await send({ method: 'POST', url, body: 'null' })).status).toBe(201);
  });

  test('unknown keys are ignored', async () => {
    expect((await send(post('{"title":"Acme","unheardOf":[1]}'))).status).toBe(201);
    expect((await send({ url: '/v1/orgs?unheardOf=1' })).status).toBe(200);
  });
});

describe('query parameters', () => {
  test.for([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=abc',
    'limit=1e2',
    'limit=0x10',
    'limit=%205',
    'limit=+5',
    'limit=',
    'limit=99999999999999999999',
    'limit=1&limit=2',
    'page=x',
    'page=x.y',
    'page=WyJ4Il0.AAAAAAAAAAAAAAAAAAAAAA',
    'page=a&page=b',
    'page=%ED%A0%80',
    'page=%ff',
    'page=%',
    'page=%00',
    'unheardOf=%00',
    `page=${'a'.repeat(4000)}`,
  ])('%s is rejected with 400', async (query) => {
    await expectError({ url: `/v1/orgs?${query}` }, 400);
  });

  test('a cursor is not valid for another list or another caller', async () => {
    for (let i = 0; i < 2; i++) await service.as(person.token).post('/user/tokens');
    const { body } = await service.as(person.token).get('/user/tokens?limit=1');
    await expectError({ url: `/v1/orgs?page=${body.next.page}` }, 400);
    const stranger = await service.build.user();
    const answer = await service.as(stranger.token).get(`/user/tokens?page=${body.next.page}`);
    expect(answer.status).toBe(400);
  });

  test.for(['constructor=1', '__proto__=1', '__proto__[x]=1', 'toString=1', 'hasOwnProperty=1'])(
    '%s is ignored like any unknown key',
    async (query) => {
      expect((await send({ url: `/v1/orgs?${query}` })).status).toBe(200);
      expect(({} as { x?: number }).x).toBeUndefined();
    },
  );
});

describe('URLs', () => {
  test.for(['/v1/nope', '/v1/orgs/x/y/z', '/v1//orgs', '/V1/orgs', '/nope', '/v1/orgs;x'])(
    'the unknown path %s gets 404',
    async (url) => {
      await expectError({ url }, 404);
      await expectError({ url, method: 'POST', body: '{' }, 404);
    },
  );

  test.for(['%', '%zz', '%ff', '%ED%A0%80', '%00', 'a%00'])(
    'the malformed path segment %s gets 400',
    async (segment) => {
      await expectError({ url: `/v1/orgs/${segment}` }, 400);
      await expectError({ url: `/v1/user/tokens/${segment}`, method: 'DELETE' }, 400);
    },
  );

  test.for(['x', '__proto__', 'constructor', 'a%2Fb', '%F0%9F%98%80', "'%20or%201=1", 'a'.repeat(8000)])(
    'a malformed id gets 404: %s',
    async (segment) => {
      await expectError({ url: `/v1/orgs/${segment}` }, 404);
      expect((await send({ url: `/v1/user/tokens/${segment}`, method: 'DELETE' })).status).toBe(204);
    },
  );

  test.for([
    ['PUT', '/v1/orgs', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/v1/user', 'GET, HEAD, OPTIONS'],
    ['GET', '/v1/user/tokens/x', 'DELETE, OPTIONS'],
    ['HEAD', '/v1/user/tokens/x', 'DELETE, OPTIONS'],
  ] as const)(
    '%s %s is rejected with 405, and the response lists the supported methods',
    async ([method, url, allow]) => {
      const answer = await send({ method, url, body: method === 'PUT' ? '{' : undefined });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe(allow);
      if (method !== 'HEAD') expect(JSON.parse(answer.text).error.code).toBe(405);
    },
  );

  test('HEAD responds like GET, without the body', async () => {
    const answer = await send({ method: 'HEAD', url: '/v1/orgs' });
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.etag).toBe((await send({ url: '/v1/orgs' })).headers.etag);
  });

  test('a response that the client already has gets 304', async () => {
    const { headers } = await send({ url: '/v1/user' });
    const again = await send({ url: '/v1/user', headers: { 'if-none-match': String(headers.etag) } });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers).not.toHaveProperty('content-length');
  });
});

describe('browsers', () => {
  test('browsers may call from any origin with every method, and read errors', async () => {
    const headers = { origin: 'https://docs.example', 'access-control-request-method': 'PATCH' };
    const preflight = await send({ method: 'OPTIONS', url: '/v1/orgs', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).not.toHaveProperty('content-length');
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
    const error = await send({ url: '/v1/nope', headers: { origin: 'https://docs.example' } });
    expect(error.headers['access-control-allow-origin']).toBe('*');
  });

  test('a plain OPTIONS request is not an error', async () => {
    expect((await send({ method: 'OPTIONS', url: '/v1/orgs' })).status).toBe(204);
  });

  test('every response forbids sniffing its type and framing it', async () => {
    for (const url of ['/v1/user', '/v1/nope', '/trpc/nope']) {
      const { headers } = await send({ url });
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });
});

describe('tokens', () => {
  test.for([
    ['none', undefined],
    ['an empty token', 'Bearer '],
    ['another scheme', 'Basic YTpi'],
    ['two words', 'Bearer a b'],
    ['an unknown token', 'Bearer colophon_unknown'],
    ['a very long token', `Bearer ${'a'.repeat(8000)}`],
  ] as const)('%s is rejected with 401', async ([, authorization]) => {
    const { headers } = await expectError({ url: '/v1/user', headers: { authorization } }, 401);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  test('the authentication scheme is case-insensitive', async () => {
    const headers = { authorization: `bearer ${person.token}` };
    expect((await send({ url: '/v1/user', headers })).status).toBe(200);
  });

  test('an expired or revoked token gets 401, and a read-only one cannot write', async () => {
    const me = service.as(person.token);
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { body: expiring } = await me.post('/user/tokens', { expiresAt });
    const { body: revoked } = await me.post('/user/tokens');
    const { body: reader } = await me.post('/user/tokens', { scope: 'read' });
    expect((await service.as(expiring.token).get('/user')).status).toBe(200);
    await service.runtime.database.db
      .updateTable('api_token')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', expiring.id)
      .execute();
    await me.delete(`/user/tokens/${revoked.id}`);
    expect((await service.as(expiring.token).get('/user')).status).toBe(401);
    expect((await service.as(revoked.token).get('/user')).status).toBe(401);
    expect((await service.as(reader.token).get(`/orgs/${organizationId}`)).status).toBe(200);
    expect((await service.as(reader.token).patch(`/orgs/${organizationId}`, {})).status).toBe(403);
  });
});

describe('on a raw connection', () => {
  let port: number;
  beforeAll(async () => {
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    port = (service.app.server.address() as { port: number }).port;
  });

  test.for(['a b', '%', '[', 'x:99999'])('a malformed Host header (%s) does no harm', async (host) => {
    const { status } = await sendRaw(
      port,
      `GET /trpc/users.me HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 401]).toContain(status);
  });

  test('the host of a complete URL counts, whatever the Host header says', async () => {
    const read = async (url: string, host: string) => {
      const headers = `Host: ${host}\r\nAccept: text/html\r\nConnection: close`;
      const { status, text } = await sendRaw(port, `GET ${url} HTTP/1.1\r\n${headers}\r\n\r\n`);
      return `${status} ${text.includes('/auth/sign-in') ? 'service' : 'site'}`;
    };
    expect(await read('http://docs.test/', 'nobody.acme.example')).toBe('200 service');
    expect(await read('HTTP://docs.test:3000', 'nobody.acme.example')).toBe('200 service');
    expect(await read('https://nobody.acme.example/', 'docs.test')).toBe('404 site');
    const error = await sendRaw(
      port,
      'GET http://docs.test/trpc/nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(JSON.parse(error.text).error.json.data.httpStatus).toBe(404);
  });
});
