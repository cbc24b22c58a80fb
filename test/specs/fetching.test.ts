import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refreshDueSpecs } from '../../routers/specs/processing.operation.ts';
import { jobContext } from '../../server/context.ts';
import { openOutbound } from '../../server/hardening/outbound.ts';
import type { Client, TestService } from '../helpers/service.ts';
import { petstore, processSpecs, startSpecService } from '../helpers/specs.ts';

let service: TestService;
let admin: Client;
let base: string;
let server: Server;
let address: string;

/** The responses of the other server, by path; each test sets its own. */
let responses: Record<string, RequestListener> = {};
let requests: IncomingMessage[] = [];

beforeAll(async () => {
  ({ service, admin, base } = await startSpecService());
  // 127.0.0.2 represents a private network.
  service.runtime.services.outbound = openOutbound({ allowed: ['127.0.0.1/32'], timeLimit: 1500 });
  server = createServer((request, response) => {
    requests.push(request);
    const respond = responses[request.url ?? ''];
    if (respond) respond(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.close();
});
beforeEach(() => {
  responses = {};
  requests = [];
});

const text =
  (body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, headers).end(body);

let specs = 0;
/** Publishes the document at a path of the other server, and returns the spec once it was processed. */
async function publish(path: string, slug = `spec-${specs++}`) {
  const { status } = await admin.put(`${base}/${slug}`, { source: { url: address + path } });
  expect(status).toBe(200);
  await processSpecs(service);
  return { slug, ...(await admin.get(`${base}/${slug}`)).body };
}

async function refresh(slug: string) {
  expect((await admin.post(`${base}/${slug}/refresh`)).status).toBe(200);
  await processSpecs(service);
  return (await admin.get(`${base}/${slug}`)).body;
}

const contentOf = async (slug: string) =>
  (await admin.get(`${base}/${slug}/versions/latest/content`)).body.filesystem[0].specification;

const refused = (code: string, message: string) => ({
  processingState: 'complete',
  lastProcessErrorCode: code,
  lastProcessedErrors: [expect.objectContaining({ code, message: expect.stringContaining(message) })],
});

test('a spec with a URL is fetched', async () => {
  responses['/api.json'] = text(petstore());
  const spec = await publish('/api.json');
  expect(spec).toMatchObject({ sourceURL: `${address}/api.json`, processingState: 'complete' });
  expect(await contentOf(spec.slug)).toEqual(JSON.parse(petstore()));
});

test.each<[string, RequestListener, string, string]>([
  ['is silent', () => {}, 'FETCH_TIMEOUT', 'did not respond'],
  ['breaks off', (_, response) => response.destroy(), 'FETCH_ERROR', 'could not be read'],
  ['has no such file', (_, response) => response.writeHead(404).end(), 'FETCH_ERROR', 'status 404'],
  ['fails', (_, response) => response.writeHead(500).end(), 'FETCH_ERROR', 'status 500'],
  [
    'says unasked that nothing has changed',
    (_, response) => response.writeHead(304).end(),
    'FETCH_ERROR',
    'status 304',
  ],
  [
    'redirects to a private network',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
    'FETCH_ERROR',
    'private network',
  ],
  [
    'redirects to a file',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'FETCH_ERROR',
    'http and https',
  ],
  [
    'trickles without end',
    (_, response) => {
      const timer = setInterval(() => response.write('#'), 50);
      response.on('close', () => clearInterval(timer));
    },
    'FETCH_TIMEOUT',
    'did not respond',
  ],
  [
    'sends without end',
    (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, '#')));
      };
      response.on('drain', write);
      write();
    },
    'FETCH_',
    '',
  ],
  ['sends HTML', text('<!doctype html><title>Sign in</title>'), 'PARSE_ERROR', 'HTML'],
  ['sends a picture', text('\u0000\u0001PNG'), 'PARSE_ERROR', 'not UTF-8'],
  ['sends nothing', text(''), 'PARSE_ERROR', 'empty'],
  ['sends other JSON', text('{"name": "package"}'), 'PARSE_ERROR', 'neither "openapi" nor "swagger"'],
  ['sends broken JSON', text('{"openapi": "3.0.0",\n "info": }'), 'PARSE_ERROR', 'not valid JSON'],
])('a spec with a URL reports an error if its server %s', async (_, response, code, message) => {
  responses['/api.json'] = response;
  const spec = await publish('/api.json');
  const expected = code === 'FETCH_' ? expect.stringMatching(/^FETCH_(ERROR|TIMEOUT)$/) : code;
  expect(spec).toMatchObject(refused(expected, message));
  expect(spec.lastVersion).toBeUndefined();
});

test('a spec with a URL keeps its last good version while its server fails', async () => {
  responses['/api.json'] = text(petstore('First'));
  const { slug, lastVersion } = await publish('/api.json');
  responses['/api.json'] = (_, response) => response.writeHead(503).end();
  expect(await refresh(slug)).toMatchObject({ lastVersion, ...refused('FETCH_ERROR', 'status 503') });
  responses['/api.json'] = text(petstore('Second'));
  const spec = await refresh(slug);
  expect(spec.lastProcessErrorCode).toBeUndefined();
  expect(spec.lastVersion).not.toBe(lastVersion);
});

test('a spec with a URL is fetched with conditional requests', async () => {
  responses['/api.json'] = text(petstore(), {
    etag: '"one"',
    'last-modified': 'Wed, 21 Oct 2015 07:28:00 GMT',
  });
  const { slug, lastVersion } = await publish('/api.json');
  responses['/api.json'] = (_, response) => response.writeHead(304).end();
  expect(await refresh(slug)).toMatchObject({ lastVersion, processingState: 'complete' });
  expect(requests.at(-1)?.headers).toMatchObject({
    'if-none-match': '"one"',
    'if-modified-since': 'Wed, 21 Oct 2015 07:28:00 GMT',
  });
  // Another ETag with the same content creates no new version.
  responses['/api.json'] = text(petstore(), { etag: '"two"' });
  expect((await refresh(slug)).lastVersion).toBe(lastVersion);
  expect((await admin.get(`${base}/${slug}/versions`)).body.count).toBe(1);
  await refresh(slug);
  expect(requests.at(-1)?.headers).toMatchObject({ 'if-none-match': '"two"' });
});

test('a spec with a new URL is fetched without conditions', async () => {
  responses['/a.json'] = text(petstore(), { etag: '"one"' });
  responses['/b.json'] = text(petstore(), { etag: '"one"' });
  const { slug } = await publish('/a.json');
  await publish('/b.json', slug);
  expect(requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
});

test('a spec with a URL is fetched again on a schedule, later after each failure', async () => {
  responses['/api.json'] = text(petstore('First'));
  const { slug, lastVersion } = await publish('/api.json');
  const { database, services } = service.runtime;
  const untilNext = async () => {
    const { next_fetch_at, last_processed_at } = await database.db
      .selectFrom('openapi_spec')
      .select(['next_fetch_at', 'last_processed_at'])
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow();
    return new Date(String(next_fetch_at)).getTime() - new Date(String(last_processed_at)).getTime();
  };
  const whenDue = async () => {
    await database.db
      .updateTable('openapi_spec')
      .set({ next_fetch_at: new Date(0) })
      .where('slug', '=', slug)
      .execute();
    await refreshDueSpecs(jobContext(database, services));
    await processSpecs(service);
  };
  const hour = 3600 * 1000;
  expect(await untilNext()).toBeGreaterThanOrEqual(6 * hour);
  await refreshDueSpecs(jobContext(database, services));
  expect(requests).toHaveLength(1);

  delete responses['/api.json'];
  await whenDue();
  const first = await untilNext();
  expect(first).toBeLessThan(hour);
  await whenDue();
  expect(await untilNext()).toBeGreaterThan(first * 1.5);
  responses['/api.json'] = text(petstore('Second'));
  await whenDue();
  expect(await untilNext()).toBeGreaterThanOrEqual(6 * hour);
  expect((await admin.get(`${base}/${slug}`)).body.lastVersion).not.toBe(lastVersion);
});

describe('a spec in several documents', () => {
  const document = (paths: object, components: object = {}) =>
    JSON.stringify({ openapi: '3.0.3', info: { title: 'Parts', version: '1' }, paths, components });

  test('a spec in several documents is bundled into one, with references within it', async () => {
    responses['/v1/api.json'] = text(
      document({ '/pets': { $ref: './paths/pets.yaml' } }, { schemas: { Id: { type: 'string' } } }),
    );
    responses['/v1/paths/pets.yaml'] = text(
      "get:\n  responses:\n    200:\n      content:\n        application/json:\n          schema: {$ref: '../schemas.yaml#/Pet'}\n",
    );
    responses['/v1/schemas.yaml'] = text(
      "Pet:\n  properties:\n    id: {$ref: 'api.json#/components/schemas/Id'}\n    parent: {$ref: '#/Pet'}\n    example: {$ref: '#/Pet'}\n  example: {$ref: 'nowhere.json'}\n",
    );
    const { slug } = await publish('/v1/api.json');
    expect(await contentOf(slug)).toMatchObject({
      paths: { '/pets': { $ref: '#/x-ext/1' } },
      'x-ext': {
        1: {
          get: {
            responses: { 200: { content: { 'application/json': { schema: { $ref: '#/x-ext/2/Pet' } } } } },
          },
        },
        2: {
          Pet: {
            properties: {
              id: { $ref: '#/components/schemas/Id' },
              parent: { $ref: '#/x-ext/2/Pet' },
              example: { $ref: '#/x-ext/2/Pet' },
            },
            // An example is data.
            example: { $ref: 'nowhere.json' },
          },
        },
      },
    });
    expect((await admin.get(`${base}/${slug}/versions/latest`)).body.operations).toBe(1);
  });

  test('a spec in several documents gets a new version if only one document has changed', async () => {
    responses['/api.json'] = text(document({ '/a': { $ref: 'a.json' } }), { etag: '"same"' });
    responses['/a.json'] = text('{"get": {"summary": "One"}}');
    const { slug, lastVersion } = await publish('/api.json');
    expect((await refresh(slug)).lastVersion).toBe(lastVersion);
    responses['/a.json'] = text('{"get": {"summary": "Two"}}');
    expect((await refresh(slug)).lastVersion).not.toBe(lastVersion);
  });

  test.each<[string, () => void, object]>([
    [
      'is missing',
      () => {},
      { code: 'FETCH_ERROR', path: '/paths/~1a', message: 'The URL responds with status 404.' },
    ],
    [
      'is not YAML',
      () => {
        responses['/a.yaml'] = text('get:\n  a: 1\n  a: 2\n');
      },
      { code: 'PARSE_ERROR', line: 3, file: expect.stringContaining('/a.yaml') },
    ],
    [
      'refers to a private network',
      () => {
        responses['/a.yaml'] = text("get: {$ref: 'http://127.0.0.2/'}");
      },
      { code: 'FETCH_ERROR', path: '/get', file: expect.stringContaining('/a.yaml') },
    ],
  ])('a spec in several documents is refused if one of them %s', async (_, prepare, error) => {
    responses['/api.json'] = text(document({ '/a': { $ref: 'a.yaml' } }));
    prepare();
    const spec = await publish('/api.json');
    expect(spec.lastProcessedErrors).toEqual([expect.objectContaining(error)]);
  });

  test('a spec in several documents is refused if there are too many', async () => {
    const paths = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`/${i}`, { $ref: `${i}.json` }]));
    responses['/api.json'] = text(document(paths));
    for (let i = 0; i < 60; i++) responses[`/${i}.json`] = text('{}');
    const spec = await publish('/api.json');
    expect(spec).toMatchObject(refused('FETCH_ERROR', 'more than 50 documents'));
    expect(requests).toHaveLength(51);
  });

  test('a spec in several documents is refused if each refers to another one endlessly', async () => {
    responses['/api.json'] = text(document({ '/a': { $ref: '0.json' } }));
    for (let i = 0; i < 60; i++) responses[`/${i}.json`] = text(`{"get": {"$ref": "${i + 1}.json"}}`);
    expect(await publish('/api.json')).toMatchObject(refused('FETCH_ERROR', 'more than 50 documents'));
  });
});
