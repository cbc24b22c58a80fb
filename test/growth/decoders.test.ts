/** The output of a decoder is bounded by the length of its input, and its time is linear. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../helpers/builders.ts';
import { expectLinear, processorTime } from '../helpers/growth.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import type { Decoder } from './decoders/decoder.ts';
import { DECODERS } from './decoders.ts';

/** Maximum number of values and characters that a decoder produces for any text, and per character, by default. */
const MAX_OUTPUT = 20_000;
const MAX_OUTPUT_PER_CHARACTER = 4;

/** Sizes of texts that are compared: if the time is not proportional, it is measured again more precisely. */
const SMALL = 16 * 1024;
const LARGE = 128 * 1024;
/** CPU times below this are not compared, in milliseconds. */
const FAST = 8;

/** Counts the values and characters in a value, with shared objects counted repeatedly; stops beyond `most`. */
function sizeOf(root: unknown, most: number): number {
  const stack = [root];
  let size = 0;
  while (stack.length > 0 && size <= most) {
    const value = stack.pop();
    size++;
    if (typeof value === 'string') size += value.length;
    else if (ArrayBuffer.isView(value)) size += value.byteLength;
    else if (value instanceof Map || value instanceof Set) for (const inner of value) stack.push(inner);
    else if (typeof value === 'object' && value !== null) {
      size += Array.isArray(value) ? value.length : 0;
      for (const [key, inner] of Object.entries(value)) {
        size += key.length;
        stack.push(inner);
      }
    }
  }
  return size;
}

const TEXTS = Object.entries(DECODERS).flatMap(([name, decoder]) =>
  Object.entries(decoder.hostile).map(([what, make]): [string, Decoder, (size: number) => string] => [
    `${name}: ${what}`,
    decoder,
    make,
  ]),
);

describe('the output of a decoder is bounded by the length of its input', () => {
  test.for(TEXTS)(
    '%s',
    async ([, { decode, always = MAX_OUTPUT, most = MAX_OUTPUT_PER_CHARACTER }, make]) => {
      for (const size of [64, 1024, 16 * 1024]) {
        const text = make(size);
        const limit = always + most * text.length;
        expect(sizeOf(await decode(text), limit)).toBeLessThanOrEqual(limit);
      }
    },
  );
});

describe('a decoder takes linear time', () => {
  test.for(TEXTS)('%s', ([name, { decode }, make]) => {
    const timeOf = (size: number) => {
      const text = make(size);
      return processorTime(() => decode(text));
    };
    const [small, large] = [timeOf(SMALL), timeOf(LARGE)];
    if (large > Math.max(FAST, (small * LARGE) / SMALL))
      expectLinear(name, make, decode, { from: 256, to: SMALL, milliseconds: 2 });
  });
});

describe('a hostile request', () => {
  let service: TestService;
  let person: Person;
  beforeAll(async () => {
    service = await startTestService();
    person = await service.build.user();
  });
  afterAll(() => service.close());

  const send = (url: string, headers: Record<string, string> = {}) =>
    service.app.inject({ url, headers: { authorization: `Bearer ${person.token}`, ...headers } });
  const long = (part: string, size = 12_000) => part.repeat(size / part.length);

  test.for<[name: string, status: number, url: string, headers?: Record<string, string>]>([
    ['parameters', 200, `/v1/orgs?${long('a=1&')}`],
    ['the same parameter', 400, `/v1/orgs?${long('limit=1&')}`],
    ['a number of many digits', 400, `/v1/orgs?limit=${long('9')}`],
    ['percent signs', 404, `/v1/orgs/${long('%25')}`],
    ['a cursor', 400, `/v1/orgs?page=${long('QUJD', 2000)}.${long('QUJD', 40)}`],
    ['a cursor of many parts', 400, `/v1/orgs?page=${long('.', 2000)}`],
    ['an input over tRPC', 400, `/trpc/users.me?input=${long('[')}`],
    ['parameters over tRPC', 200, `/trpc/users.me?${long('a=1&')}`],
    ['inputs of a batch', 400, `/trpc/users.me,users.me?batch=1&input=${long('[')}`],
    ['names of a batch', 400, `/trpc/${long('users.me,')}users.me?batch=1`],
    ['parameters of a connection', 400, `/trpc/users.me?connectionParams=${long('[')}`],
    ['tags', 200, '/v1/user', { 'if-none-match': long('"a",') }],
    ['tags that do not end', 200, '/v1/user', { 'if-none-match': long('W/') }],
    ['accepted types', 200, '/v1/user', { accept: long('a/b;q=0.1,') }],
    ['accepted encodings', 200, '/v1/user', { 'accept-encoding': long('br;q=0.1,') }],
    ['a token', 401, '/v1/user', { authorization: `Bearer ${long('a.')}` }],
    ['blanks before a token', 401, '/v1/user', { authorization: `Bearer${long(' ')}` }],
    ['the id of an event', 404, '/v1/orgs/none/events', { 'last-event-id': long('9') }],
    ['an address of the app', 404, `/app/spaces/${long('%41')}`],
    ['segments of a page', 404, `/sites/none/${long('~/')}`],
    ['segments of a preview', 404, `/preview/spaces/none/content/${long('~/')}`],
    ['the query of a page', 404, `/sites/none?${long('q=1&')}`],
    ['the token of a visitor', 404, `/sites/none?jwt_token=${long('a.')}`],
    ['tags of a page', 404, '/sites/none', { 'if-none-match': long('"a",') }],
    ['ranges', 404, '/files/none/none', { range: `bytes=${long('0-1,')}` }],
  ])('%s', async ([, status, url, headers]) => {
    const answer = await send(url, headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.body.length).toBeLessThan(MAX_OUTPUT);
  });
});
