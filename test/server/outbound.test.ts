import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import zlib, { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { runFor } from '../../routers/base/caller.ts';
import { openOutbound } from '../../server/hardening/outbound.ts';

const answers: Record<string, RequestListener> = {
  '/file': (_, response) =>
    response.writeHead(200, { 'content-type': 'Text/Plain; charset=utf-8' }).end('bytes'),
  '/missing': (_, response) => response.writeHead(404).end(),
  '/again': (_, response) => response.writeHead(302, { location: '/file' }).end(),
  '/forever': (_, response) => response.writeHead(302, { location: '/forever' }).end(),
  '/inside': (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
  '/disk': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/endless': (_, response) => {
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', write);
    write();
  },
  '/silent': () => {},
  '/nested': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip' }).end(NESTED),
  '/compressed': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('bytes')),
};

/** Decodes to nothing, by way of gigabytes. */
const NESTED = [40_000, 2000].reduce(
  (inner, times) => gzipSync(Buffer.concat(Array.from({ length: times }, () => inner))),
  gzipSync(''),
);

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => answers[request.url ?? '']?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const local = openOutbound({ allowed: ['127.0.0.1/32'], timeLimit: 500 });
/** A time limit for tests that are not about time. */
const patient = openOutbound({ allowed: ['127.0.0.1/32'], timeLimit: 30_000 });
const closed = openOutbound({ allowed: [] });
const maxBytes = 1000;

test('the client for URLs given by callers reads the bytes and their media type, and follows redirects', async () => {
  for (const path of ['/file', '/again']) {
    const answer = await patient.get(base + path, { maxBytes });
    expect(answer).toEqual({ bytes: Buffer.from('bytes'), contentType: 'text/plain' });
  }
});

test.each([
  ['an IP address', 'http://127.0.0.1/'],
  ['an IP address written as a number', 'http://2130706433/'],
  ['a host name', 'http://localhost/'],
  ['IPv6', 'http://[::1]/'],
  ['an IPv4 address in IPv6', 'http://[::ffff:127.0.0.1]/'],
  ['an IPv4 address at the end of IPv6', 'http://[::127.0.0.1]/'],
  ['a NAT64 address', 'http://[64:ff9b::7f00:1]/'],
  ['the metadata service of a cloud', 'http://169.254.169.254/latest/meta-data/'],
  ['a local network', 'http://10.0.0.1/'],
  ['nowhere', 'http://0.0.0.0/'],
])('the client for URLs given by callers does not reach private networks through %s', async (_, url) => {
  expect(await closed.get(url, { maxBytes })).toEqual({
    problem: expect.stringContaining('private network'),
  });
});

test('the client for URLs given by callers does not follow redirects to private networks, or to other protocols', async () => {
  expect(await patient.get(`${base}/inside`, { maxBytes })).toEqual({
    problem: expect.stringContaining('private network'),
  });
  expect(await patient.get(`${base}/disk`, { maxBytes })).toEqual({
    problem: expect.stringContaining('Only http and https'),
  });
});

test.each([
  ['/missing', 'status 404'],
  ['/forever', 'more than 5 times'],
  ['/endless', 'more than 1000 bytes'],
  ['/nested', 'compressed more than once'],
])('the client for URLs given by callers gives a clear error for %s', async (path, problem) => {
  expect(await patient.get(base + path, { maxBytes })).toMatchObject({
    problem: expect.stringContaining(problem),
  });
});

test('the client for URLs given by callers decodes a body that is compressed once, and posts whatever the response is', async () => {
  expect(await patient.get(`${base}/compressed`, { maxBytes })).toEqual({ bytes: Buffer.from('bytes') });
  const sent = { body: '{}', headers: {}, maxBytes };
  expect(await patient.post(`${base}/compressed`, sent)).toEqual({ status: 200, body: 'bytes' });
  expect(await patient.post(`${base}/nested`, sent)).toEqual({ status: 200, body: '' });
});

test('the client for URLs given by callers does not decode a body that is compressed more than once in the background', async () => {
  const created = vi.spyOn(zlib, 'createGunzip');
  onTestFinished(() => created.mockRestore());
  await patient.get(`${base}/nested`, { maxBytes });
  await patient.getIfChanged(`${base}/nested`, { maxBytes });
  await patient.post(`${base}/nested`, { body: '{}', headers: {}, maxBytes });
  const decoders = created.mock.results.map(({ value }) => value as zlib.Gunzip);
  await Promise.allSettled(decoders.map((decoder) => finished(decoder, { readable: false })));
  expect(decoders.map(({ bytesWritten }) => bytesWritten)).toEqual(decoders.map(() => 0));
});

test('the client for URLs given by callers gives a clear error for a server that does not respond in time', async () => {
  expect(await local.get(`${base}/silent`, { maxBytes })).toMatchObject({
    problem: expect.stringContaining('within 0.5 seconds'),
  });
});

test('the client for URLs given by callers gives a clear error if the connection is refused', async () => {
  expect(await patient.get('http://127.0.0.1:1/', { maxBytes })).toEqual({
    problem: 'The URL could not be read.',
  });
});

test('reading files is limited by organization and by user', async () => {
  const held: ServerResponse[] = [];
  let hold = true;
  // The client opens few connections to one server.
  const servers = Array.from({ length: 6 }, () =>
    createServer((_, response) => void (hold ? held.push(response) : response.end())),
  );
  for (const one of servers) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const ports = servers.map((one) => (one.address() as AddressInfo).port);
  onTestFinished(() => {
    for (const one of servers) one.closeAllConnections();
    for (const one of servers) one.close();
  });
  const client = openOutbound({ allowed: ['127.0.0.1/32'], timeLimit: 60_000 });
  const answers: Promise<object>[] = [];
  const read = (organization: string, user: string, count: number) => {
    for (let i = 0; i < count; i++) {
      const url = `http://127.0.0.1:${ports[answers.length % ports.length]}/`;
      answers.push(runFor({ organization, user }, () => client.get(url, { maxBytes })));
    }
  };
  const arrive = (count: number) => vi.waitUntil(() => held.length === count, { timeout: 10_000 });
  read('one', 'ann', 10);
  await arrive(8);
  read('one', 'bob', 10);
  await arrive(16);
  read('one', 'dan', 8);
  read('two', 'cat', 1);
  await arrive(17);
  hold = false;
  for (const response of held) response.end();
  const empty = { bytes: Buffer.alloc(0) };
  expect(await Promise.all(answers)).toEqual(answers.map(() => empty));
});
