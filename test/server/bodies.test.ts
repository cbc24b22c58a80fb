import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket as ClientSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { BODIES_LIMIT } from '../../server/hardening/body-budget.ts';
import { connectionOptions } from '../../server/http/connections.ts';
import { BODY_TIME } from '../../server/http/read-body.ts';
import { openSocket, type RawResponse, readResponse, sendRaw } from '../helpers/raw-http.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

const MB = 1024 * 1024;

let service: TestService;
let port: number;
let space: string;
let tokens: { editor: string; reader: string };
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  port = (service.app.server.address() as { port: number }).port;
  const organization = await service.build.organization();
  space = (await service.build.space(organization.id)).id;
  const editor = organization.admin.token;
  tokens = { editor, reader: (await service.as(editor).post('/user/tokens', { scope: 'read' })).body.token };
});
afterAll(() => service.close());

const head = (url: string, headers: Record<string, string | number | undefined>, method = 'POST') =>
  `${method} ${url} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${Object.entries(headers)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const edit = () => `/v1/spaces/${space}/content`;
/** Whether a complete response has arrived. */
const isWhole = (text: string) => {
  const end = text.indexOf('\r\n\r\n');
  return end > 0 && text.length - end - 4 >= Number(/content-length: (\d+)/i.exec(text)?.[1]);
};

describe('a body the caller may not send is rejected before it is read', () => {
  const doors = () => [edit(), '/v1/orgs', '/trpc/organizations.create'];

  test('a body the caller may not send is rejected before it is read without a token, or with an unknown or read-only one', async () => {
    for (const url of doors()) {
      for (const length of [{ 'Content-Length': 900_000 }, { 'Transfer-Encoding': 'chunked' }]) {
        for (const [token, status] of [
          ['unknown', 401],
          [tokens.reader, 403],
        ] as const) {
          const socket = await openSocket(port);
          socket.write(head(url, { ...length, ...bearer(token) }));
          // No byte of the body is sent.
          expect((await readResponse(socket, isWhole)).status).toBe(status);
          socket.destroy();
        }
      }
    }
  });

  test('a body the caller may not send is rejected before it is read if its Content-Length exceeds the limit, for every caller', async () => {
    for (const [url, limit] of [
      ['/v1/orgs', MB],
      [edit(), 20 * MB],
      ['/trpc/organizations.create', MB],
    ] as const) {
      const socket = await openSocket(port);
      socket.write(head(url, { 'Content-Length': limit + 1, ...bearer(tokens.editor) }));
      expect((await readResponse(socket, isWhole)).status).toBe(413);
      socket.destroy();
    }
  });

  test('a body the caller may not send is rejected before it is read if it has a Content-Encoding, on uploads, REST and tRPC', async () => {
    const { body } = await service.as(tokens.editor).post(`/spaces/${space}/uploads`);
    const { pathname, search } = new URL(body.url);
    const bomb = gzipSync('['.repeat(10 * MB));
    for (const [method, url] of [
      ['PUT', pathname + search],
      ['POST', edit()],
      ['POST', '/trpc/organizations.create'],
    ] as const) {
      const headers = { 'Content-Encoding': 'gzip', 'Content-Length': bomb.length };
      const socket = await openSocket(port);
      socket.write(head(url, { ...headers, ...bearer(tokens.editor) }, method));
      expect((await readResponse(socket, isWhole)).status).toBe(415);
      socket.destroy();
    }
  });

  test('the response reaches a client that reads only after sending everything', async () => {
    const socket = await openSocket(port);
    const heard = readResponse(socket, isWhole);
    socket.write(head('/v1/orgs', { 'Content-Length': 900_000 }));
    for (let sent = 0; sent < 900_000; sent += 90_000) {
      socket.write('a'.repeat(90_000));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await heard).status).toBe(401);
    // The connection stays usable.
    const next = readResponse(socket, isWhole);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await next).status).toBe(200);
    socket.destroy();
  });

  test('a token is looked up once per request', async () => {
    const statements: string[] = [];
    const executor = Object.getPrototypeOf(service.runtime.database.db.getExecutor());
    const { executeQuery } = executor;
    executor.executeQuery = function (query: { sql: string }, ...rest: unknown[]) {
      statements.push(query.sql);
      return executeQuery.call(this, query, ...rest);
    };
    try {
      expect((await service.as(tokens.editor).post('/orgs', { title: 'Acme' })).status).toBe(201);
    } finally {
      executor.executeQuery = executeQuery;
    }
    expect(statements.filter((sql) => /^select.*"api_token"/.test(sql))).toHaveLength(1);
  });
});

describe('a body sent in chunks', () => {
  const send = async (url: string, pieces: string[]): Promise<RawResponse> => {
    const socket = await openSocket(port);
    const heard = readResponse(socket, isWhole);
    socket.write(head(url, { 'Transfer-Encoding': 'chunked', ...bearer(tokens.editor) }));
    for (const piece of pieces) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    socket.write('0\r\n\r\n');
    const answer = await heard;
    socket.destroy();
    return answer;
  };

  test('a body sent in chunks is assembled, even from single bytes', async () => {
    expect((await send('/v1/orgs', [...'{"title":"Acme"}'])).status).toBe(201);
  });

  test('a body sent in chunks is rejected with 413 once it exceeds the limit', async () => {
    expect((await send('/v1/orgs', Array(40).fill('a'.repeat(32 * 1024)))).status).toBe(413);
  });

  test('a body sent in chunks is rejected with 400 if its chunks are tiny, and the connection is closed', async () => {
    const socket = await openSocket(port);
    const heard = readResponse(socket);
    socket.write(head('/v1/orgs', { 'Transfer-Encoding': 'chunked', ...bearer(tokens.editor) }));
    socket.write('1\r\na\r\n'.repeat(5000));
    expect((await heard).status).toBe(400);
  });

  test('a body sent in chunks is not buffered if its chunks are tiny and nobody reads it', async () => {
    const arrived = new Promise<IncomingMessage>((resolve) => {
      const server = createServer(connectionOptions.http, resolve).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      server.once('listening', async () => {
        const socket = await openSocket((server.address() as AddressInfo).port);
        onTestFinished(() => void socket.destroy());
        socket.write(head('/', { 'Transfer-Encoding': 'chunked' }) + '1\r\na\r\n'.repeat(100_000));
      });
    });
    const request = await arrived;
    await once(request, 'tinyChunks');
    expect(request.readableLength).toBeLessThan(2000);
  });

  /** Sends tiny chunks for as long as the service accepts them, and returns the number of bytes that it read. */
  const sendTinyChunks = (socket: ClientSocket, request: IncomingMessage) =>
    new Promise<number>((resolve) => {
      const chunks = '1\r\na\r\n'.repeat(10_000);
      const sendMore = () => {
        while (socket.writable && socket.write(chunks));
      };
      socket.on('drain', sendMore);
      request.socket.once('close', () => resolve(request.socket.bytesRead));
      sendMore();
    });
  const arrival = () =>
    new Promise<IncomingMessage>((resolve) => {
      service.app.server.once('request', resolve);
    });

  test('a body sent in chunks closes the connection early if its chunks are tiny', async () => {
    const arrived = arrival();
    const socket = await openSocket(port);
    const heard = readResponse(socket);
    socket.write(head('/v1/orgs', { 'Transfer-Encoding': 'chunked', ...bearer(tokens.editor) }));
    expect(await sendTinyChunks(socket, await arrived)).toBeLessThan(MB);
    await heard;
  });

  test('a body sent in chunks closes the connection at once if tiny chunks follow the response', async () => {
    const arrived = arrival();
    const socket = await openSocket(port);
    const heard = readResponse(socket, isWhole);
    socket.write(head('/v1/orgs', { 'Transfer-Encoding': 'chunked' }));
    expect((await heard).status).toBe(401);
    const request = await arrived;
    const ended = once(request, 'tinyChunks').then(() => request.socket.destroyed);
    expect(await sendTinyChunks(socket, request)).toBeLessThan(MB);
    expect(await ended).toBe(true);
  });

  test('a body sent in chunks is rejected with 415 at its first byte unless it is JSON', async () => {
    const socket = await openSocket(port);
    socket.write(
      head('/v1/orgs', { 'Transfer-Encoding': 'chunked', ...bearer(tokens.editor) }).replace('json', 'xml'),
    );
    socket.write('1\r\na\r\n');
    expect((await readResponse(socket, isWhole)).status).toBe(415);
    socket.destroy();
  });
});

describe('the values and the nesting of a JSON body are limited', () => {
  const objects = (count: number) => `{"changes":[${'{},'.repeat(count)}{}]}`;
  const names = (count: number, start = '') =>
    `{"changes":[{${Array.from({ length: count }, (_, index) => `"${start}${index}":0`)}}]}`;

  test.for([
    ['values', '/trpc/organizations.create', 413, objects(200_000)],
    ['values in malformed JSON', '/trpc/organizations.create', 413, ','.repeat(200_000)],
    ['values including documents', 'an edit', 413, objects(1_100_000)],
    ['values outside documents', 'an edit', 413, objects(200_000)],
    ['names', '/trpc/organizations.create', 413, names(11_000)],
    ['names of a body parsed in a worker', '/v1/orgs', 413, names(11_000, '0'.repeat(60))],
    ['names with escapes', '/v1/orgs', 413, names(3_000, '\\u0041')],
    ['names outside documents', 'an edit', 413, names(11_000)],
    ['levels', '/trpc/organizations.create', 400, `{"changes":${'['.repeat(600)}${']'.repeat(600)}}`],
    ['levels', 'an edit', 400, `{"changes":${'['.repeat(600)}${']'.repeat(600)}}`],
  ] as const)(
    'the values and the nesting of a JSON body are limited in %s, for %s: %i',
    async ([, at, code, body]) => {
      const url = at === 'an edit' ? edit() : at;
      const answer = await sendRaw(
        port,
        head(url, { 'Content-Length': body.length, Connection: 'close', ...bearer(tokens.editor) }) + body,
      );
      expect(answer.status).toBe(code);
      expect(answer.text).toMatch(/more than \d+ (values|different property names|levels)/);
    },
  );

  test('a document of 1 MB is accepted', async () => {
    const nodes = Array.from({ length: 7000 }, (_, index) => ({
      object: 'block',
      type: 'paragraph',
      isVoid: false,
      data: {},
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: `Word ${index}`, marks: [] }] }],
    }));
    const document = { document: { object: 'document', data: { schemaVersion: 1 }, nodes } };
    const changes = [{ operation: 'insert_page', title: 'Long', document }];
    expect(JSON.stringify(changes).length).toBeGreaterThan(MB);
    expect((await service.as(tokens.editor).post(`/spaces/${space}/content`, { changes })).status).toBe(200);
  });
});

describe('the memory for bodies is limited', () => {
  test('beyond the limit, large bodies are rejected before they are read, and small requests still succeed', async () => {
    const { id, admin } = await service.build.organization();
    const others = [admin, await service.build.member(id, 'admin')];
    /** Announces large bodies with these tokens, and waits until those that exceed the limit are rejected. */
    const announce = async (senders: string[], fits: number) => {
      const held = await Promise.all(
        senders.map(async (token) => {
          const socket = await openSocket(port);
          const heard = readResponse(socket, isWhole);
          socket.write(head(edit(), { 'Content-Length': 20 * MB, ...bearer(token) }));
          return { socket, heard };
        }),
      );
      const answers: RawResponse[] = [];
      for (const { heard } of held) void heard.then((answer) => answers.push(answer));
      await vi.waitUntil(() => answers.length === senders.length - fits, { timeout: 30_000 });
      for (const { headers } of answers) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      return { sockets: held.map(({ socket }) => socket), statuses: answers.map(({ status }) => status) };
    };
    const ofOne = Math.floor(BODIES_LIMIT.user / (20 * MB));
    const first = await announce(Array(10).fill(tokens.editor), ofOne);
    expect(first.statuses).toEqual(Array(10 - ofOne).fill(429));
    // Others may use what is left of the memory, however it is divided between them.
    const left = Math.floor(BODIES_LIMIT.all / (20 * MB)) - ofOne;
    const second = await announce(
      others.flatMap(({ token }) => Array(left).fill(token)),
      left,
    );
    expect(second.statuses).toEqual(Array(left).fill(503));
    const held = [...first.sockets, ...second.sockets];
    expect((await service.as(tokens.editor).post('/orgs', { title: 'Acme' })).status).toBe(201);
    for (const socket of held) socket.destroy();
    // Their memory is released.
    await vi.waitUntil(
      async () => {
        const socket = await openSocket(port);
        const body = `{"changes":"${'a'.repeat(15 * MB)}"}`;
        const heard = readResponse(socket, isWhole);
        socket.write(head(edit(), { 'Content-Length': body.length, ...bearer(tokens.editor) }) + body);
        const { status } = await heard;
        socket.destroy();
        return status === 400;
      },
      { timeout: 30_000 },
    );
  });
});

test('clients that trickle a body or headers, or send nothing, are disconnected', async () => {
  const begun = performance.now();
  const drip = async (start: string) => {
    const socket = await openSocket(port);
    const heard = readResponse(socket);
    socket.write(start);
    const dripping = setInterval(() => socket.write('a'), 1000);
    try {
      return await heard;
    } finally {
      clearInterval(dripping);
    }
  };
  const silent = await openSocket(port);
  const answers = await Promise.all([
    drip(head('/v1/orgs', { 'Content-Length': 1000, ...bearer(tokens.editor) })),
    drip(head('/trpc/organizations.create', { 'Content-Length': 1000, ...bearer(tokens.editor) })),
    drip('GET /v1/orgs HTTP/1.1\r\nHost: x\r\nA: '),
    readResponse(silent),
  ]);
  for (const { status, text } of answers) {
    expect(status).toBe(408);
    expect(JSON.parse(text).error).toBeDefined();
  }
  expect(performance.now() - begun).toBeGreaterThan(BODY_TIME - 100);
});

test('clients that keep sending after the response are disconnected', async () => {
  const socket = await openSocket(port);
  const heard = readResponse(socket);
  socket.write(head('/v1/orgs', { 'Transfer-Encoding': 'chunked' }));
  const going = setInterval(() => socket.write('400\r\n'.concat('a'.repeat(1024), '\r\n')), 50);
  const answer = await heard;
  clearInterval(going);
  expect(answer.status).toBe(401);
});
