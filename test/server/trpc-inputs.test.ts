/** tRPC inputs that expand to far more than was sent. */

import superjson from 'superjson';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { transformer } from '../../routers/base/transformer.ts';
import type { Person } from '../helpers/builders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let base: string;
let person: Person;
beforeAll(async () => {
  service = await startTestService();
  base = await service.app.listen({ port: 0, host: '127.0.0.1' });
  person = (await service.build.organization()).admin;
});
afterAll(() => service.close());

/** Inputs that are decoded by either adapter. */
const decoded = vi.spyOn(transformer.input, 'deserialize');
beforeEach(() => void decoded.mockClear());

/** The memory it would take: eight bytes for each announced item, and a key for each when it is traversed. */
const HUGE = '{"json":{"x":100000000},"meta":{"values":{"x":[["typed-array","Float64Array"]]}}}';
const BATCH = `{"0":${HUGE},"1":${HUGE}}`;

interface Door {
  method?: 'GET' | 'POST';
  path: string;
  body?: string;
  headers?: Record<string, string>;
}

const input = (text: string) => `input=${encodeURIComponent(text)}`;

const DOORS: [name: string, Door][] = [
  ['a query', { path: `users.me?${input(HUGE)}` }],
  ['a query for visitors as well', { path: `content.page?${input(HUGE)}` }],
  ['a batch of queries', { path: `users.me,organizations.list?batch=1&${input(BATCH)}` }],
  ['a subscription', { path: `events.subscribe?${input(HUGE)}` }],
  [
    'a query that the adapter of the library serves',
    { path: `users.me?${input(HUGE)}`, headers: { 'trpc-accept': 'application/json' } },
  ],
  [
    'a streamed batch',
    {
      path: `users.me,users.me?batch=1&${input(BATCH)}`,
      headers: { 'trpc-accept': 'application/jsonl' },
    },
  ],
  ['a mutation', { method: 'POST', path: 'users.update', body: HUGE }],
  ['a batch of mutations', { method: 'POST', path: 'users.update,users.update?batch=1', body: BATCH }],
];

/** The response as text, with the status of each call: a stream always begins with 200. */
async function call({ method = 'GET', path, body, headers }: Door, token?: string) {
  const response = await fetch(`${base}/trpc/${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const statuses = [...text.matchAll(/"(?:httpStatus|status)":(\d+)/g)].map(([, status]) => Number(status));
  return new Set(statuses.length > 0 ? statuses : [response.status]);
}

describe('an array of any length announced in a few bytes', () => {
  test.for(DOORS)('%s: is not parsed without a token', async ([, door]) => {
    expect(await call(door)).toEqual(new Set([401]));
    expect(await call(door, 'colophon_unknown')).toEqual(new Set([401]));
    expect(decoded).not.toHaveBeenCalled();
  });

  test.for(DOORS)('%s: is rejected, while others are served', async ([, door]) => {
    const { arrayBuffers } = process.memoryUsage();
    const [refused, other] = await Promise.all([call(door, person.token), fetch(`${base}/healthz`)]);
    expect(refused).toEqual(new Set([400]));
    expect(other.status).toBe(200);
    expect(decoded).toHaveBeenCalled();
    expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(100e6);
  });

  test('an array of any length announced in a few bytes is rejected by public procedures', async () => {
    const door = { method: 'POST', path: 'urls.resolvePublished', body: HUGE } as const;
    expect(await call(door)).toEqual(new Set([400]));
  });
});

test('a read-only token changes nothing, and its input is not parsed', async () => {
  const reader = await service.build.user({ scope: 'read' });
  expect(await call({ method: 'POST', path: 'users.update', body: HUGE }, reader.token)).toEqual(
    new Set([403]),
  );
  expect(decoded).not.toHaveBeenCalled();
});

test('the error names the place of a rejected annotation', async () => {
  const sent = superjson.serialize({ organizationId: 'a', since: new Map() });
  const response = await service.app.inject({
    url: `/trpc/organizations.get?${input(JSON.stringify(sent))}`,
    headers: { authorization: `Bearer ${person.token}` },
  });
  expect(response.statusCode).toBe(400);
  expect(response.json().error.json).toMatchObject({
    message: 'The input has an annotation of superjson that cannot be applied.',
    data: { details: [{ path: 'since', message: 'must be a value of JSON, a Date or undefined' }] },
  });
});

test('the error about an input that is not JSON is about the request, not about how it is parsed', async () => {
  const response = await service.app.inject({
    url: `/trpc/users.me?${input('{"json":')}`,
    headers: { authorization: `Bearer ${person.token}` },
  });
  expect(response.statusCode).toBe(400);
  expect(response.json().error.json.message).toBe('The request could not be read.');
});
