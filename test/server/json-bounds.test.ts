import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonBounds, MAX_DEPTH, MAX_NAMES, MAX_VALUES } from '../../server/hardening/json-bounds.ts';

/** Values in a parsed text, containers included. */
const count = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + count(inner), 1)
    : 1;

const inPieces = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

test('the count is at least the number of values and at most twice as high, however the text is split', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), fc.integer({ min: 1, max: 7 }), (value, spaced, size) => {
      const bounds = createJsonBounds();
      for (const piece of inPieces(Buffer.from(JSON.stringify(value, null, spaced ? 1 : 0)), size)) {
        expect(bounds.check(piece)).toBeUndefined();
      }
      const values = count(JSON.parse(JSON.stringify(value)));
      expect(bounds.values).toBeGreaterThanOrEqual(values);
      expect(bounds.values).toBeLessThanOrEqual(2 * values);
    }),
  );
});

test('the content of strings is not counted', () => {
  const long = 'a,'.repeat(200);
  const texts = ['[{,"\\'.repeat(MAX_VALUES), '\\', '\\\\', '"', long, `${long}\\`, `${long}\\"${long}"`];
  for (const size of [3, 100, 65_536, Number.MAX_SAFE_INTEGER]) {
    const bounds = createJsonBounds();
    for (const piece of inPieces(Buffer.from(JSON.stringify(texts)), size)) {
      expect(bounds.check(piece)).toBeUndefined();
    }
    expect(bounds.values).toBe(1 + texts.length);
  }
});

test.for([
  ['empty objects', `[${'{},'.repeat(MAX_VALUES)}`],
  ['numbers', `[${'1,'.repeat(MAX_VALUES)}`],
  ['members', `{${'"":0,'.repeat(MAX_VALUES)}`],
  ['adjacent arrays', '[]'.repeat(MAX_VALUES)],
  ['only commas', ','.repeat(MAX_VALUES)],
] as const)('too many values are reported: %s', ([, text]) => {
  expect(createJsonBounds().check(Buffer.from(text))).toBe('values');
});

test('nesting that is too deep is reported, at any depth', () => {
  expect(createJsonBounds().check(Buffer.from('['.repeat(MAX_DEPTH)))).toBeUndefined();
  for (const levels of [MAX_DEPTH + 1, 1_000_000]) {
    expect(createJsonBounds().check(Buffer.from('{"a":'.repeat(levels)))).toBe('depth');
  }
});

describe('different property names', () => {
  const names = (count: number, { start = '', times = 1 } = {}) =>
    JSON.stringify(
      Array.from({ length: times }, () =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`${start}${index}`, ':'])),
      ),
    );
  const limitOf = (text: string, size: number, { anyNames = false, multiplier = 1_531_019_267 } = {}) => {
    const bounds = createJsonBounds({ anyNames, multiplier });
    for (const piece of inPieces(Buffer.from(text), size)) {
      const limit = bounds.check(piece);
      if (limit) return limit;
    }
    return bounds.hasManyNames ? 'many' : undefined;
  };

  test.for([1, 7, 65_536])('different names are counted once, in pieces of %i bytes', (size) => {
    expect(limitOf(names(MAX_NAMES), size)).toBeUndefined();
    expect(limitOf(names(MAX_NAMES + 1), size)).toBe('names');
    expect(limitOf(names(MAX_NAMES + 1), size, { anyNames: true })).toBe('many');
    expect(limitOf(names(1000, { times: 50 }), size)).toBeUndefined();
    expect(limitOf(JSON.stringify(Array.from({ length: 50_000 }, (_, index) => `${index}:`)), size)).toBe(
      undefined,
    );
  });

  // With these, a hash that only multiplies tells 3,092 to 6,632 of 10,100 such names apart.
  test.for([1_531_019_265, 1_636_073_473, 1_572_456_449, 1_353_226_241])(
    'names that differ in a few digits are told apart if the multiplier is %i',
    (multiplier) => {
      expect(limitOf(names(MAX_NAMES + 100), 65_536, { multiplier })).toBe('names');
    },
  );

  test('names with escapes count several times, even if they are repeated', () => {
    const escaped = '{"\\u0041":1},'.repeat(MAX_NAMES / 4);
    expect(limitOf(`[${escaped}{}]`, 100)).toBeUndefined();
    expect(limitOf(`[${escaped}{"\\u0041":1}]`, 100)).toBe('names');
    expect(limitOf(names(MAX_NAMES / 4 + 1, { start: '"' }), 100)).toBe('names');
  });
});
