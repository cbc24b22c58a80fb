import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, type Json, sameJson } from '../../../routers/engine/store/canonical.ts';
import { createObjectBuffer } from '../../../routers/engine/store/objects.ts';
import { slugify } from '../../../routers/engine/store/slug.ts';
import { createMemoryStore } from './memory-store.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from './runs.ts';

const json = fc.jsonValue({ stringUnit: 'grapheme' }) as fc.Arbitrary<Json>;

describe('canonical JSON', () => {
  test(
    'canonical JSON parses to the same value, does not depend on the order of keys, and omits undefined fields',
    () => {
      fc.assert(
        fc.property(json, (value) => {
          expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        }),
        { numRuns: NUM_RUNS },
      );
      expect(canonicalJson({ b: 1, a: { d: [], c: undefined } })).toBe('{"a":{"d":[]},"b":1}');
    },
    PROPERTY_TIMEOUT,
  );

  test(
    'two values are equal if and only if their canonical JSON is equal',
    () => {
      fc.assert(
        fc.property(json, json, (a, b) => {
          expect(sameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
          expect(sameJson(a, structuredClone(a))).toBe(true);
        }),
        { numRuns: NUM_RUNS },
      );
      expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
      expect(sameJson({ a: undefined }, { b: undefined })).toBe(true);
      expect(sameJson({ a: 1 }, { b: 1 })).toBe(false);
      expect(sameJson([], {})).toBe(false);
    },
    PROPERTY_TIMEOUT,
  );

  test.each([
    ['not a number', Number.NaN],
    ['infinite', [Number.POSITIVE_INFINITY]],
    ['half of a surrogate pair', { a: '\ud83d' }],
    ['half of a surrogate pair in a key', { '\ude00': 1 }],
    ['a NUL character', 'a\0'],
    ['undefined in a list', [undefined]],
    ['a date', new Date(0)],
    ['a function', () => 1],
  ])('%s is rejected', (_, value) => {
    expect(() => canonicalJson(value as unknown as Json)).toThrow(
      expect.objectContaining({ name: 'ContentError', reason: 'invalid-value' }),
    );
  });
});

describe('object buffer', () => {
  test('the hash of an object depends on its kind, and equal objects are pending only once', () => {
    const buffer = createObjectBuffer(createMemoryStore());
    const first = buffer.put('document', { a: 1, b: 2 });
    expect(buffer.put('document', { b: 2, a: 1 })).toBe(first);
    expect(buffer.put('map', { a: 1, b: 2 })).not.toBe(first);
    expect(buffer.pending.size).toBe(2);
    expect(buffer.pending.get(first)).toEqual({
      kind: 'document',
      body: { a: 1, b: 2 },
      json: '{"a":1,"b":2}',
    });
  });

  test('an object that was read is not pending when it is put again, and is not read twice', async () => {
    const store = createMemoryStore();
    const hash = createObjectBuffer(store).put('document', { a: 1 });
    store.objects.set(hash, { kind: 'document', body: { a: 1 } });
    const buffer = createObjectBuffer(store);
    await buffer.read([hash, hash]);
    await buffer.read([hash]);
    expect(store.objectsRead).toBe(1);
    expect(buffer.put('document', { a: 1 })).toBe(hash);
    expect(buffer.pending.size).toBe(0);
  });
});

test(
  'a slug is a single path segment of at most 100 characters, and slugifying it again does not change it',
  () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (title) => {
        const slug = slugify(title);
        expect(slug).toMatch(/^[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_.~-]*[\p{L}\p{M}\p{N}_])?$/u);
        expect([...slug].length).toBeLessThanOrEqual(100);
        expect(slugify(slug)).toBe(slug);
      }),
      { numRuns: NUM_RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);
