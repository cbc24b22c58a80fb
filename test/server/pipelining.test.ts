import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSocket, readResponse, sendRaw } from '../helpers/raw-http.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let port: number;
let token: string;
let organization: string;
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  port = (service.app.server.address() as { port: number }).port;
  const { id, admin } = await service.build.organization();
  organization = id;
  token = admin.token;
});
afterAll(() => service.close());

const request = (line: string, headers: Record<string, string> = {}, body = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;

const LAST = request('GET /healthz', { Connection: 'close' });

const statusesIn = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g);

test('a client that sends thousands of requests at once gets a response to each of them', async () => {
  const { status, text } = await sendRaw(port, request('GET /v1/user').repeat(2000) + LAST);
  expect([...new Set([String(status), ...(statusesIn(text) ?? [])])]).toEqual(['200']);
  expect(statusesIn(text)).toHaveLength(2000);
});

test('the requests of a connection are handled in their order, with their bodies', async () => {
  const title = (number: number) => JSON.stringify({ title: `${number}`.padStart(4, 'x') });
  const json = { 'Content-Type': 'application/json' };
  const change = (number: number) =>
    request(`PATCH /v1/orgs/${organization}`, { ...json, 'Content-Length': '16' }, title(number));
  const chunked = request(
    `PATCH /v1/orgs/${organization}`,
    { ...json, 'Transfer-Encoding': 'chunked' },
    `10\r\n${title(99)}\r\n0\r\n\r\n`,
  );
  const read = request(`GET /v1/orgs/${organization}`);
  const requests = [change(1), read, chunked, read, request('GET /v1/%zz'), change(2), read];
  const { status, text } = await sendRaw(port, requests.join('') + LAST);
  expect([String(status), ...(statusesIn(text) ?? [])]).toEqual([
    '200',
    '200',
    '200',
    '200',
    '400',
    '200',
    '200',
    '200',
  ]);
  expect(text.match(/"title":"x\w+/g)).toEqual(
    ['xxx1', 'xxx1', 'xx99', 'xx99', 'xxx2', 'xxx2'].map((name) => `"title":"${name}`),
  );
});

test('requests behind one that takes long are neither handled nor read', async () => {
  const socket = await openSocket(port);
  const stream = request(`GET /v1/orgs/${organization}/events`, { Accept: 'text/event-stream' });
  const creation = request(
    'POST /v1/orgs',
    { 'Content-Type': 'application/json', 'Content-Length': '16' },
    '{"title":"Late"}',
  );
  const opened = readResponse(socket, (text) => text.includes(': connected'));
  socket.write(stream + creation);
  expect((await opened).status).toBe(200);
  // More than the buffers of a connection hold.
  socket.write(request('GET /healthz').repeat(400_000));
  await sleep(500);
  const unread = socket.writableLength;
  await sleep(500);
  expect(unread).toBeGreaterThan(0);
  expect(socket.writableLength).toBe(unread);
  socket.destroy();
  await once(socket, 'close');
  const { body } = await service.as(token).get('/orgs');
  expect(body.items).toMatchObject([{ id: organization }]);
});
