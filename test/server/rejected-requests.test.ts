import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSocket, readResponse, sendRaw } from '../helpers/raw-http.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let port: number;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  port = (service.app.server.address() as { port: number }).port;
  token = (await service.build.user()).token;
});
afterAll(() => service.close());

/** One request; the connection is closed after the response. */
const request = (line: string, headers: Record<string, string> = {}, body = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;

const error = (code: number) => ({ error: { code, message: expect.stringMatching(/^[A-Z].*\.$/) } });

describe('a malformed request gets an error in the usual format', () => {
  const post = 'POST /v1/orgs HTTP/1.1\r\nHost: x\r\n';
  test.for([
    [400, 'text that is not HTTP', 'nonsense\r\n\r\n'],
    [400, 'a malformed method', 'G{T /v1/orgs HTTP/1.1\r\nHost: x\r\n\r\n'],
    [400, 'another protocol', 'GET /v1/orgs FTP/1.1\r\nHost: x\r\n\r\n'],
    [400, 'a malformed version', 'GET /v1/orgs HTTP/x\r\nHost: x\r\n\r\n'],
    [400, 'a future version', 'GET /v1/orgs HTTP/9.9\r\nHost: x\r\n\r\n'],
    [400, 'HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [400, 'no Host', 'GET /v1/orgs HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [400, 'two Hosts', request('GET /v1/orgs', { Host: 'y' })],
    [400, 'a space before a colon', 'GET /v1/orgs HTTP/1.1\r\nHost : x\r\n\r\n'],
    [400, 'a folded header', 'GET /v1/orgs HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    [400, 'a NUL in a header', 'GET /v1/orgs HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
    [400, 'two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [400, 'a malformed length', `${post}Content-Length: x\r\n\r\n`],
    [400, 'a negative length', `${post}Content-Length: -1\r\n\r\n`],
    [
      400,
      'both a length and chunks',
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      400,
      'a chunked encoding that is not the last one',
      `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    ],
    [
      431,
      'headers that are too long',
      `GET /v1/orgs HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`,
    ],
    [431, 'a URL that is too long', `GET /v1/orgs?page=${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ] as const)('%i for %s', async ([code, , text]) => {
    const answer = await sendRaw(port, text);
    expect(answer.status).toBe(code);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect(JSON.parse(answer.text)).toEqual(error(code));
  });

  test('a malformed chunk is rejected with 400', async () => {
    const head = request('POST /v1/orgs', {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    const answer = await sendRaw(port, `${head}5\r\n{"tit\r\nzz\r\n`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual(error(400));
  });
});

describe('methods', () => {
  test.for(['PROPFIND', 'MKCOL', 'TRACE', 'REPORT', 'PURGE', 'M-SEARCH', 'QUERY'])(
    '%s is not supported: 405 at known paths, 404 elsewhere',
    async (method) => {
      const known = await sendRaw(port, request(`${method} /v1/orgs`));
      expect(known.status).toBe(405);
      expect(known.headers.allow).toBe('GET, HEAD, POST, OPTIONS');
      expect(JSON.parse(known.text)).toEqual(error(405));
      expect(await sendRaw(port, request(`${method} /v1/nope`))).toMatchObject({ status: 404 });
    },
  );

  test.for(['FOO', 'get', 'X-CUSTOM'])(
    '%s, which is no HTTP method, is rejected with 405',
    async (method) => {
      const answer = await sendRaw(port, request(`${method} /v1/orgs`));
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toContain('GET');
      expect(JSON.parse(answer.text)).toEqual(error(405));
    },
  );

  test.for(['/healthz', '/metrics', '/openapi.json', '/files/a/b', '/uploads/x'])(
    'a 405 lists the methods of the path: %s',
    async (url) => {
      const answer = await sendRaw(port, request(`PATCH ${url}`));
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe(url.startsWith('/uploads') ? 'PUT, OPTIONS' : 'GET, HEAD, OPTIONS');
    },
  );

  test('CONNECT is rejected with 405', async () => {
    const answer = await sendRaw(port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    expect(answer.status).toBe(405);
    expect(JSON.parse(answer.text)).toEqual(error(405));
  });

  test('an offer to upgrade the protocol is ignored', async () => {
    const headers = { Upgrade: 'websocket', Authorization: `Bearer ${token}` };
    const text = request('GET /v1/user', headers).replace('Connection: close', 'Connection: upgrade, close');
    expect(await sendRaw(port, text)).toMatchObject({ status: 200 });
  });
});

test('the Expect header is rejected with 417 unless it is 100-continue', async () => {
  const answer = await sendRaw(
    port,
    request('POST /v1/orgs', { Expect: 'miracles', 'Content-Length': '2' }, '{}'),
  );
  expect(answer.status).toBe(417);
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  expect(JSON.parse(answer.text)).toEqual(error(417));
});

test('the Expect header gets 100 only if the body will be read', async () => {
  const headers = { Expect: '100-continue', 'Content-Length': '16', 'Content-Type': 'application/json' };
  expect(await sendRaw(port, request('POST /v1/orgs', headers))).toMatchObject({ status: 401 });
  const socket = await openSocket(port);
  socket.write(request('POST /v1/orgs', { ...headers, Authorization: `Bearer ${token}` }));
  expect((await readResponse(socket, (text) => text.includes('\r\n\r\n'))).status).toBe(100);
  const heard = readResponse(socket);
  socket.write('{"title":"Acme"}');
  expect((await heard).status).toBe(201);
});

test.for(['/v1/orgs/', '/v1/orgs?x='])('URLs of more than 16 kB are rejected with 414: %s', async (begin) => {
  const answer = await sendRaw(port, request(`GET ${begin}${'a'.repeat(16 * 1024)}`));
  expect(answer.status).toBe(414);
  expect(JSON.parse(answer.text)).toEqual(error(414));
});

test.for([
  ['a repeated key', `/v1/orgs?${'limit=1&'.repeat(2000)}`, 400],
  ['unknown keys', `/v1/orgs?${Array.from({ length: 2500 }, (_, i) => `k${i}`).join('&')}`, 200],
  ['only separators', `/v1/orgs?${'&='.repeat(8000)}`, 200],
  ['a long cursor', `/v1/orgs?page=${'WyJ'.repeat(5000)}`, 400],
  ['a path of many segments', `/v1/${'a/'.repeat(8000)}`, 404],
  ['a path of many slashes', `/v1${'/'.repeat(16_000)}orgs`, 404],
  ['a path of many encoded bytes', `/v1/orgs/${'%41'.repeat(5000)}`, 404],
  ['a page path of many segments', `/v1/spaces/x/content/path/${'a/'.repeat(8000)}`, 404],
  ['a long tRPC input', `/trpc/users.me?input=${'['.repeat(16_000)}`, 400],
  ['a long batch', `/trpc/${'users.me,'.repeat(1700)}users.me?batch=1`, 400],
] as const)('URLs with %s of 16 kB are handled like any other', async ([, url, code]) => {
  const answer = await sendRaw(port, request(`GET ${url}`, { Authorization: `Bearer ${token}` }));
  expect(answer.status).toBe(code);
});

describe('every error under /trpc has the format of tRPC', () => {
  test.for([
    ['GET', '/trpc', 404],
    ['GET', '/trpc/a/b', 404],
    ['GET', '/trpc/%zz', 400],
    ['GET', '/trpc/%00', 400],
    ['GET', `/trpc/${'a'.repeat(16 * 1024)}`, 414],
    ['PROPFIND', '/trpc/users.me', 405],
    ['DELETE', '/trpc/users.me', 405],
  ] as const)('%s %s: %i', async ([method, url, code]) => {
    const answer = await sendRaw(port, request(`${method} ${url}`, { Authorization: `Bearer ${token}` }));
    expect(answer.status).toBe(code);
    expect(JSON.parse(answer.text).error.json).toMatchObject({
      message: expect.any(String),
      code: expect.any(Number),
      data: { httpStatus: code },
    });
  });
});

test('a connection stays open after the refusal of a request without a body', async () => {
  const socket = await openSocket(port);
  socket.write('GET /v1/nope HTTP/1.1\r\nHost: x\r\n\r\n');
  const answer = await readResponse(socket, (text) => text.includes('}}'));
  socket.destroy();
  expect(answer).toMatchObject({ status: 404, headers: { connection: 'keep-alive' } });
});

test.for(['/v1/orgs/%', '/v1/%zz', '/trpc/%zz', '/%', '/v1/nope', '/v1/orgs'])(
  'a connection stays usable after the refusal of a request with a long body: POST %s',
  async (url) => {
    const socket = await openSocket(port);
    const length = 500_000;
    socket.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const { status, text } = await readResponse(socket, (text) => text.includes('"ok"'));
    socket.destroy();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain('HTTP/1.1 200');
  },
);
