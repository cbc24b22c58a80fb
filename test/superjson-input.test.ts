import fc from 'fast-check';
import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import { applyAnnotations } from '../routers/base/superjson-input.ts';
import { transformer } from '../routers/base/transformer.ts';

/** The input that arrives from a client with plain superjson. */
const arrived = (value: unknown) => transformer.input.deserialize(copyOf(superjson.serialize(value)));

/**
 * What another process parses from the JSON of a value. It is not parsed here, because `JSON.parse` of V8 confuses some escaped
 * keys with others that were parsed before (nodejs/node#63785).
 */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copyOf(member)]));
}

/** The same value as an input: without members that are undefined, and with times as text. */
function asInput(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(asInput);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, asInput(member)]));
}

test('the input of a client arrives with undefined members left out and times as text', () => {
  expect(arrived(undefined)).toBeUndefined();
  expect(arrived(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
  expect(arrived({ a: undefined, b: [undefined, { c: new Date(0) }], d: -0 })).toStrictEqual({
    b: [undefined, { c: '1970-01-01T00:00:00.000Z' }],
    d: 0,
  });
});

test('the input of a client arrives whatever its members are named', () => {
  const names = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '.', '\\', '0', '-') }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('length', 'toString', 'valueOf', '__defineGetter__'),
  );
  const key = names.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
  const scalar = fc.constantFrom<unknown[]>(undefined, new Date(0), -0, null, 0, 1.5, '', 'text', '-0', true);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { weight: 3, arbitrary: scalar },
      { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
      { weight: 2, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 4 }) },
    ),
  }));
  fc.assert(
    fc.property(value, (sent) => void expect(arrived(sent)).toStrictEqual(asInput(sent))),
    { numRuns: 1000 },
  );
});

test('the input of a client arrives without the version of its paths', () => {
  const json = { 'a.b': { c: null, 'd\\': null }, e: 1 };
  expect(
    applyAnnotations(json, { 'a\\.b.c': ['undefined'], 'a\\.b.d\\': ['undefined'] }, undefined),
  ).toStrictEqual({
    'a.b': {},
    e: 1,
  });
});

test('the input of a client arrives with an object in both places where it occurs', () => {
  const same = { id: 'a', title: undefined };
  const read = arrived({ left: same, right: same }) as { left: object; right: object };
  expect(read).toStrictEqual({ left: { id: 'a' }, right: { id: 'a' } });
  expect(read.left).not.toBe(read.right);
});

describe('an annotation is rejected', () => {
  const problemWith = (json: unknown, values: unknown, version: unknown = 1) => {
    try {
      applyAnnotations(json, values, version);
    } catch (error) {
      return (error as { code: string; details?: { path: string; message: string }[] }).details;
    }
    return undefined;
  };

  test('an annotation of anything that no input can have is rejected', () => {
    const values = [
      ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array].map((Type) => new Type(1)),
      ...[Int32Array, Uint32Array, Float32Array, Float64Array].map((Type) => new Type(1)),
      ...[new Map(), new Set([new Date(0)]), /a/g, new URL('http://docs.test'), new Error('x')],
      ...[1n, Number.NaN, Number.POSITIVE_INFINITY],
    ];
    for (const value of values) {
      for (const sent of [value, { in: [value] }]) {
        const { json, meta } = JSON.parse(JSON.stringify(superjson.serialize(sent)));
        const path = Object.is(value, sent) ? '' : 'in.0';
        expect(problemWith(json, meta.values)).toEqual([
          { path, message: expect.stringMatching(/^must be /) },
        ]);
      }
    }
  });

  test.for<[name: string, json: unknown, values: unknown]>([
    ['by a name that is not known', { a: null }, { a: ['symbol'] }],
    ['by names of a class', { a: {} }, { a: [['class', 'User']] }],
    ['by a name that every object has', { a: null }, { a: ['constructor'] }],
    ['without a name', { a: null }, { a: [] }],
    ['that is no list', { a: null }, { a: 'undefined' }],
    ['within another', { a: null }, { a: ['undefined', { b: ['undefined'] }] }],
    ['below another', { a: { b: null } }, { a: { b: ['undefined'] } }],
    ['undefined of something', { a: 'text' }, { a: ['undefined'] }],
    ['a time that is a number of milliseconds', { a: 1e9 }, { a: ['Date'] }],
    ['a number of any length', { a: '1e9' }, { a: ['number'] }],
    ['of a place that is not there', {}, { a: ['undefined'] }],
    ['of a place in a text', { a: 'text' }, { 'a.0': ['Date'] }],
    ['of a place in nothing', { a: null }, { 'a.b': ['undefined'] }],
    ['of an item beyond the end', [null], { 1: ['undefined'] }],
    ['of an item with another name', [null], { '00': ['undefined'] }],
    ['of the length of an array', { a: [] }, { 'a.length': ['undefined'] }],
    ['of a prototype', {}, { '__proto__.toString': ['undefined'] }],
    ['of the prototype of a prototype, which is null', {}, { '__proto__.__proto__': ['undefined'] }],
    ['of a constructor', {}, { 'constructor.name': ['Date'] }],
    ['of a path that ends in an escape', { a: null }, { 'a\\': ['undefined'] }],
    ['of nothing', {}, null],
    ['by a text', {}, 'undefined'],
  ])('an annotation is rejected %s', ([, json, values]) => {
    const before = JSON.stringify(json);
    expect(problemWith(json, values)).toHaveLength(1);
    expect(JSON.stringify(json)).toBe(before);
  });

  test('an annotation is rejected if an earlier one removed its place', () => {
    expect(problemWith({ a: null }, { a: ['undefined'], 'a.b': ['undefined'] })?.[0]?.path).toBe('a.b');
  });
});
