import fc from 'fast-check';
import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import { writePlain } from '../routers/plain-output.ts';
import { transformer } from '../routers/transformer.ts';

/** What a client gets to read; also that there is nothing, where a value cannot be written. */
function wire(serialize: (value: unknown) => unknown, value: unknown): string {
  try {
    return JSON.stringify(serialize(value));
  } catch (error) {
    return `fails: ${(error as Error).message}`;
  }
}

function expectSame(value: unknown): void {
  expect(wire(transformer.output.serialize, value)).toBe(wire(superjson.serialize, value));
}

/** Texts that mean something in paths and in objects, beside any others. */
const key = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'a',
    'b',
    'a.b',
    'a\\',
    '\\.',
    '',
    '0',
    '1',
    '01',
    '-1',
    '__proto__',
    'constructor',
    'toJSON',
  ),
);

const values = (leaf: fc.Arbitrary<unknown>) =>
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: false }),
  })).value;

const plainLeaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
);

class Point {
  x = 1;
}

const shared = { inner: [1] };
const unusualLeaf = fc.oneof(
  fc.date({ noInvalidDate: false }),
  fc.bigInt(),
  fc.constantFrom<unknown>(Number.NaN, Infinity, -Infinity, -0, Symbol('s'), /x/g, shared, shared.inner),
  fc.constant(undefined).map(() => new Map<unknown, unknown>([[{ a: undefined }, new Set([1])]])),
  fc.constant(undefined).map(() => new Point()),
  fc.constant(undefined).map(() => new Error('wrong')),
  fc.constant(undefined).map(() => new URL('http://localhost/')),
  fc.constant(undefined).map(() => new Uint8Array([1, 2])),
  fc.constant(undefined).map(() => () => 1),
  fc.constant(undefined).map(() => Object.assign([1], { beside: new Date(0) })),
  fc.constant(undefined).map(() => new Array(2)),
  fc.constant(undefined).map(() => ({ toJSON: () => 'replaced' })),
  fc.constant(undefined).map(() => Object.create({ inherited: 1 })),
);

describe('an answer over tRPC is the same as superjson would write it', () => {
  test('for trees of what JSON knows, with members that are undefined', () => {
    fc.assert(
      fc.property(values(plainLeaf), (value) => expectSame(value)),
      { numRuns: 3000 },
    );
  });

  test('for all that superjson knows besides, and for objects that stand in several places', () => {
    fc.assert(
      fc.property(values(fc.oneof(plainLeaf, unusualLeaf)), (value) => expectSame(value)),
      { numRuns: 3000 },
    );
  });

  test('for an object that stands twice', () => {
    expectSame([shared, { a: shared.inner }]);
    expectSame({ a: [], b: { c: shared, d: shared } });
  });

  test('for an object that holds itself', () => {
    const value: Record<string, unknown> = { list: [1] };
    value.self = value;
    expectSame(value);
    expectSame([value, value]);
  });

  test('where numbers are keys of members that are undefined', () => {
    expectSame({ x: [{ 1: { y: undefined }, 2: undefined, z: undefined }] });
    expectSame([undefined, { y: undefined }]);
  });
});

test('what is written is not changed by it', () => {
  const value = { a: undefined, list: [{ b: undefined }] };
  transformer.output.serialize(value);
  expect(value).toStrictEqual({ a: undefined, list: [{ b: undefined }] });
});

test('answers of the service are written without superjson', () => {
  const space = {
    id: 'a',
    deletedAt: undefined,
    urls: { app: 'x', icon: undefined },
    rules: { type: 'none' },
  };
  expect(writePlain({ count: 2, items: [space, { ...space, urls: {}, rules: {} }] })).toEqual({
    json: {
      count: 2,
      items: [
        { ...space, deletedAt: null, urls: { app: 'x', icon: null } },
        { id: 'a', deletedAt: null, urls: {}, rules: {} },
      ],
    },
    meta: {
      v: 1,
      values: {
        'items.0.deletedAt': ['undefined'],
        'items.0.urls.icon': ['undefined'],
        'items.1.deletedAt': ['undefined'],
      },
    },
  });
});
