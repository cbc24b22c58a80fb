import type * as trpcHttp from '@trpc/server/http';
import fc from 'fast-check';
import superjson from 'superjson';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import type { Person } from '../helpers/builders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

/** Requests that the library's own adapter has served. */
const byLibrary = vi.hoisted(() => ({ requests: 0 }));

vi.mock('@trpc/server/http', async (importOriginal) => {
  const library = await importOriginal<typeof trpcHttp>();
  const resolveResponse: typeof library.resolveResponse = (options) => {
    byLibrary.requests++;
    return library.resolveResponse(options);
  };
  return { ...library, resolveResponse };
});

let service: TestService;
let person: Person;
let reader: Person;
let organizationId: string;
let space: EditedSpace;
beforeAll(async () => {
  service = await startTestService();
  const organization = await service.build.organization({ title: 'Acme' });
  organizationId = organization.id;
  person = organization.admin;
  reader = await service.build.user({ scope: 'read' });
  space = await editedSpace(service, { Page: 'Text.\n' });
});
afterAll(() => service.close());
beforeEach(() => {
  byLibrary.requests = 0;
});

interface Request {
  method?: 'GET' | 'POST' | 'HEAD';
  path: string;
  /** Sent as it is if `raw` is set. */
  query?: Record<string, string> | string;
  body?: string;
  headers?: Record<string, string | undefined>;
}

async function send({ method = 'GET', path, query = {}, body, headers }: Request) {
  const response = await service.app.inject({
    method,
    url: `/trpc/${path}?${typeof query === 'object' && query.raw ? query.raw : new URLSearchParams(query)}`,
    payload: body,
    headers: Object.fromEntries(
      Object.entries({
        authorization: `Bearer ${person.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      }).filter(([, value]) => value !== undefined),
    ),
  });
  const { date, 'x-request-id': id, ...others } = response.headers;
  return { status: response.statusCode, headers: others, body: response.body };
}

/**
 * Expects the response of the library's adapter, which serves requests with this header and otherwise ignores it.
 */
async function expectSame(request: Request) {
  const response = await send(request);
  const headers = { ...request.headers, 'trpc-accept': 'application/json' };
  const expected = await send({ ...request, headers });
  expect(response).toEqual(expected);
  return response;
}

const json = (value: unknown) => JSON.stringify(superjson.serialize(value));
const batch = (...inputs: unknown[]) =>
  JSON.stringify(Object.fromEntries(inputs.map((input, index) => [index, superjson.serialize(input)])));

/** Calls that the service itself serves, with the status of the response. */
const calls = (): [name: string, status: number, Request][] => [
  ['a query without input', 200, { path: 'users.me' }],
  ['a query', 200, { path: 'organizations.get', query: { input: json({ organizationId }) } }],
  [
    'a list',
    200,
    {
      path: 'spaces.list',
      query: { input: json({ organizationId: space.organization, limit: 50 }) },
      headers: { authorization: `Bearer ${space.token}` },
    },
  ],
  ['an input with annotations', 200, { path: 'users.me', query: { input: json({ at: new Date(0) }) } }],
  [
    'a document',
    200,
    {
      path: 'content.page',
      query: { input: json({ spaceId: space.id, pageId: space.pages.Page, format: 'document' }) },
      headers: { authorization: `Bearer ${space.token}` },
    },
  ],
  ['an empty input', 200, { path: 'users.me', query: { input: '' } }],
  ['an input that stands twice', 200, { path: 'users.me', query: `input=${json({})}&input=5` }],
  [
    'a mutation',
    200,
    { method: 'POST', path: 'users.update', body: json({ userId: person.id, displayName: 'Ada' }) },
  ],
  [
    'a removal of nothing',
    200,
    { method: 'POST', path: 'users.tokens.revoke', body: json({ tokenId: 'nothing' }) },
  ],
  [
    'a type with parameters',
    200,
    {
      method: 'POST',
      path: 'users.update',
      body: json({ userId: person.id, displayName: 'Ada' }),
      headers: { 'content-type': 'Application/JSON ; charset=utf-8' },
    },
  ],
  ['no token', 401, { path: 'users.me', headers: { authorization: undefined } }],
  ['a token that may not', 403, { path: 'installation.users.list' }],
  ['what does not exist', 404, { path: 'spaces.get', query: { input: json({ spaceId: 'nothing' }) } }],
  ['an input against the schema', 400, { path: 'organizations.get', query: { input: json({}) } }],
  ['JSON that does not end', 400, { path: 'users.me', query: { input: '{"json":' } }],
  ['an input without superjson', 400, { path: 'users.me', query: { input: '{}' } }],
  ['the input null', 400, { path: 'users.me', query: { input: 'null' } }],
  ['half a surrogate pair', 400, { path: 'users.me', query: { input: '{"json":"\\ud800"}' } }],
  ['broken percent-encoding', 400, { path: 'users.me', query: 'input=%7' }],
  [
    'annotations that superjson refuses',
    400,
    { path: 'users.me', query: { input: '{"json":{},"meta":{"values":{"__proto__.x":["Date"]}}}' } },
  ],
  ['a batch of none', 200, { path: 'users.me', query: { batch: '1' } }],
  [
    'a batch',
    200,
    {
      path: 'users.me,organizations.get,users.me',
      query: { batch: '1', input: batch({}, { organizationId }) },
    },
  ],
  [
    'a batch of which one call fails',
    207,
    { path: 'users.me,organizations.get', query: { batch: '1', input: batch({}, { organizationId: 'no' }) } },
  ],
  [
    'a batch of which all calls fail alike',
    404,
    {
      path: 'organizations.get,organizations.get',
      query: { batch: '1', input: batch({ organizationId: 'no' }, { organizationId: 'nor' }) },
    },
  ],
  [
    'a batch with one input that cannot be read',
    400,
    { path: 'users.me,users.me', query: { batch: '1', input: '{"0":{"json":{}},"1":5}' } },
  ],
  ['a batch with a list', 400, { path: 'users.me', query: { batch: '1', input: '[]' } }],
  ['a batch with a text', 400, { path: 'users.me', query: { batch: '1', input: '"0"' } }],
  ['a batch of fifty', 200, { path: Array(50).fill('users.me').join(), query: { batch: '1' } }],
  [
    'a batch of mutations',
    207,
    {
      method: 'POST',
      path: 'users.update,users.tokens.revoke,organizations.update',
      query: { batch: '1' },
      body: batch(
        { userId: person.id, displayName: 'Ada' },
        { tokenId: 'no' },
        { organizationId: 'no', title: 'Acme' },
      ),
    },
  ],
];

/** Requests that are left to the library. */
const others = (): [name: string, status: number, Request][] => [
  ['HEAD', 204, { method: 'HEAD', path: 'users.me' }],
  [
    'HEAD for a mutation',
    204,
    { method: 'HEAD', path: 'users.update', headers: { 'content-type': 'application/json' } },
  ],
  ['a name that does not exist', 404, { path: 'users.nobody' }],
  ['a name of the prototype', 404, { path: '__proto__' }],
  ['an empty name in a batch', 404, { path: ',', query: { batch: '1' } }],
  ['one name in a batch that does not exist', 207, { path: 'users.me,nope', query: { batch: '1' } }],
  ['a name with a comma outside of a batch', 404, { path: 'users.me,users.me' }],
  ['a name that is encoded twice', 200, { path: 'users%252Eme' }],
  ['a name with broken encoding', 400, { path: 'users%25zz' }],
  ['a mutation by GET', 405, { path: 'users.update' }],
  ['a query by POST', 405, { method: 'POST', path: 'users.me', body: json({}) }],
  [
    'a query and a mutation',
    400,
    { method: 'POST', path: 'users.me,users.update', query: { batch: '1' }, body: batch({}, {}) },
  ],
  ['a batch of fifty-one', 400, { path: Array(51).fill('users.me').join(), query: { batch: '1' } }],
  ['POST without a type', 415, { method: 'POST', path: 'users.update' }],
  ['a form by GET', 405, { path: 'users.me', headers: { 'content-type': 'multipart/form-data' } }],
  ['another type of a GET request', 200, { path: 'users.me', headers: { 'content-type': 'text/plain' } }],
  ['connection parameters', 200, { path: 'users.me', query: { connectionParams: '{}' } }],
  ['broken connection parameters', 400, { path: 'users.me', query: { connectionParams: '5' } }],
];

/** Runs the work while every statement fails with this error. */
async function withoutDatabase(error: Error, work: () => Promise<unknown>): Promise<void> {
  const executor = Object.getPrototypeOf(service.runtime.database.db.getExecutor());
  const broken = vi.spyOn(executor, 'executeQuery').mockRejectedValue(error);
  onTestFinished(() => broken.mockRestore());
  await work();
}

test('the Host header does not matter', async () => {
  for (const host of ['user:password@docs.test', 'docs test', '[', '']) {
    expect((await send({ path: 'users.me', headers: { host } })).status).toBe(200);
    expect((await send({ path: 'users.nobody', headers: { host } })).status).toBe(404);
  }
});

describe('the response is the same as from the library', () => {
  test('the response is the same as from the library for calls', async () => {
    for (const [name, status, request] of calls()) {
      byLibrary.requests = 0;
      expect((await expectSame(request)).status, name).toBe(status);
      expect(byLibrary.requests, name).toBe(1);
    }
  });

  test('the response is the same as from the library for unusually encoded queries', async () => {
    const input = encodeURIComponent(json({ note: 'ä + % \u{1F600}' }));
    const queries = [
      `input=${input}`,
      `%69nput=${input}&other=1`,
      `input=${input}&input=5`,
      `input=5&input=${input}`,
      `input=${input}#&batch=1`,
      `input=${json({}).replaceAll('"', '%22')}%`,
      'input=%C3%28',
      'input=%22%25zz%22',
      'input=+%7B%22json%22:%7B%7D%7D+',
      'input',
      'batch=%31&input=%7B%7D',
      'batch=1&batch=0&input=%7B%7D',
      'batch=0&batch=1&input=%7B%7D',
      'batch=1%&input=%7B%7D',
      'connectionParams=%7B%7D%',
      'connectionParams',
      '&&=&input==',
    ];
    for (const query of queries) await expectSame({ path: 'users.me', query: { raw: query } });
  });

  test('the response is the same as from the library for requests that are left to it', async () => {
    for (const [name, status, request] of others()) {
      byLibrary.requests = 0;
      expect((await expectSame(request)).status, name).toBe(status);
      expect(byLibrary.requests, name).toBe(2);
    }
  });

  test.for([
    ['an outage', 503, Object.assign(new Error('away'), { code: '57P01' })],
    ['anything unexpected', 500, new Error('secret')],
  ] as const)('the response is the same as from the library for %s', async ([, status, error]) => {
    await withoutDatabase(error, async () => {
      const input = batch({ organizationId });
      const responses = [
        await expectSame({ path: 'users.me' }),
        await expectSame({ path: 'organizations.get,users.me', query: { batch: '1', input } }),
      ];
      for (const response of responses) {
        expect(response.status).toBe(status);
        expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
        expect(response.body).not.toContain('secret');
      }
    });
  });

  const queries = fc.constantFrom('users.me', 'users.me', 'organizations.get');
  const mutations = fc.constantFrom('users.update', 'users.tokens.revoke');
  const odd = fc.constantFrom('users.nobody', '__proto__', '%2c', '%25', '');
  const to = (method: Request['method'], name: fc.Arbitrary<string>) =>
    fc.record({ method: fc.constant(method), names: fc.array(name, { minLength: 1, maxLength: 4 }) });
  const targets = fc.oneof(
    { weight: 4, arbitrary: to('GET', queries) },
    { weight: 4, arbitrary: to('POST', mutations) },
    { weight: 1, arbitrary: to('GET', fc.oneof(queries, odd)) },
    { weight: 1, arbitrary: to('POST', fc.oneof(queries, mutations)) },
    { weight: 1, arbitrary: to('HEAD', queries) },
  );
  const input = fc.oneof(
    fc.constantFrom('{"json":{}}', '{"json":{"tokenId":"no"}}', '{}'),
    fc.json({ maxDepth: 2 }),
    fc.json({ maxDepth: 2 }).map((text) => `{"json":${text}}`),
    fc
      .tuple(fc.json({ maxDepth: 2 }), fc.json({ maxDepth: 3 }))
      .map(([value, values]) => `{"json":${value},"meta":{"values":${values}}}`),
  );
  const inputs = fc.oneof(
    input,
    fc.array(input, { maxLength: 4 }).map((all) => `{${all.map((text, index) => `"${index}":${text}`)}}`),
    fc.string({ unit: 'binary' }),
  );
  const headers = fc.record(
    {
      authorization: fc.constantFrom('nobody', 'Bearer nothing'),
      'content-type': fc.constantFrom('application/json;', 'application/jsonl', 'text/plain', 'json'),
      accept: fc.constantFrom('*/*', 'text/html, application/json'),
      'if-none-match': fc.constant('*'),
    },
    { requiredKeys: [] },
  );
  const requests = fc.record({
    target: targets,
    inputs,
    batch: fc.constantFrom('1', '1', '1', '1', '0'),
    isReader: fc.constantFrom(false, false, false, true),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, headers),
  });

  test('the response is the same as from the library for generated requests', async () => {
    let served = 0;
    const property = fc.asyncProperty(requests, async ({ target, inputs, batch, isReader, headers }) => {
      byLibrary.requests = 0;
      const { method, names } = target;
      const isPost = method === 'POST';
      await expectSame({
        method,
        path: names.join(),
        query: { batch, ...(!isPost && { input: inputs }) },
        ...(isPost && { body: inputs }),
        headers: { ...(isReader && { authorization: `Bearer ${reader.token}` }), ...headers },
      });
      if (byLibrary.requests === 1) served++;
    });
    await fc.assert(property, { numRuns: 1000 });
    expect(served).toBeGreaterThan(100);
  });
});
