import fc from 'fast-check';
import superjson from 'superjson';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SerializedDocument } from '../routers/engine/document/serialized-document.ts';
import { cacheOutput, oncePerCachedOutput, outputText } from '../routers/response/output.ts';

/** What a client reads, or that there is nothing to read if the value cannot be serialized. */
function read(send: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return send(value);
  } catch (error) {
    return `fails: ${(error as Error).message}`;
  }
}

/** Expects the client to read the same; members that are undefined may be missing. */
function expectSame(value: unknown): void {
  const bySuperjson = (any: unknown) => superjson.parse(JSON.stringify(superjson.serialize(any)));
  expect(read((any) => superjson.parse(outputText(any)), value)).toEqual(read(bySuperjson, value));
}

/** Texts with a special meaning in paths and objects, and any others. */
const key = fc
  .oneof(
    fc.string(),
    fc.constantFrom('a', 'b', 'a.b', 'a\\', '\\.', '', '0', '1', '01', '-1', '__proto__', 'toJSON'),
  )
  // Superjson rejects these.
  .filter((name) => name !== 'constructor' && name !== 'prototype');

const values = (leaf: fc.Arbitrary<unknown>) =>
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: false }),
  })).value;

const jsonLeaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

const plainLeaf = fc.oneof(jsonLeaf, fc.constant(undefined));

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

test('a tRPC response equals the output of superjson for trees of JSON values with undefined members', () => {
  fc.assert(
    fc.property(values(plainLeaf), (value) => expectSame(value)),
    { numRuns: 3000 },
  );
});

test('a tRPC response equals the output of superjson byte by byte for trees of JSON values', () => {
  const bySuperjson = (any: unknown) => JSON.stringify(superjson.serialize(any));
  fc.assert(
    fc.property(values(jsonLeaf), (value) => {
      expect(read(outputText, value)).toBe(read(bySuperjson, value));
    }),
    { numRuns: 1000 },
  );
});

test('a tRPC response equals the output of superjson for its other types, and for objects that occur several times', () => {
  fc.assert(
    fc.property(values(fc.oneof(plainLeaf, unusualLeaf)), (value) => expectSame(value)),
    { numRuns: 3000 },
  );
});

test('a tRPC response equals the output of superjson for an object that occurs twice', () => {
  expectSame([shared, { a: shared.inner }]);
  expectSame({ a: [], b: { c: shared, d: shared } });
});

test('an object that occurs twice is serialized without superjson', () => {
  const walked = vi.spyOn(superjson, 'serialize');
  onTestFinished(() => walked.mockRestore());
  const text = outputText({ items: [{ request: shared }, { request: shared, next: undefined }] });
  expect(walked).not.toHaveBeenCalled();
  expect(JSON.parse(text)).toEqual({ json: { items: [{ request: shared }, { request: shared }] } });
});

test('a tRPC response equals the output of superjson for an object that contains itself', () => {
  const value: Record<string, unknown> = { list: [1] };
  value.self = value;
  expectSame(value);
  expectSame([value, value]);
});

test('a tRPC response equals the output of superjson for undefined members with numeric keys', () => {
  expectSame({ x: [{ 1: { y: undefined }, 2: undefined, z: undefined }] });
  expectSame([undefined, { y: undefined }]);
});

test('members whose names superjson rejects arrive unchanged', () => {
  const value = { data: { constructor: { a: 1 }, prototype: [null] } };
  expect(superjson.parse(outputText(value))).toEqual(value);
});

test('serializing does not change the value', () => {
  const value = { a: undefined, list: [{ b: undefined }] };
  outputText(value);
  expect(value).toStrictEqual({ a: undefined, list: [{ b: undefined }] });
});

test('responses of the service are serialized without superjson, and without members that are undefined', () => {
  const space = {
    id: 'a',
    deletedAt: undefined,
    urls: { app: 'x', icon: undefined },
    rules: { type: 'none' },
  };
  const walked = vi.spyOn(superjson, 'serialize');
  onTestFinished(() => walked.mockRestore());
  const text = outputText({ count: 2, items: [space, { ...space, urls: {}, rules: {} }] });
  expect(walked).not.toHaveBeenCalled();
  expect(JSON.parse(text)).toEqual({
    json: {
      count: 2,
      items: [
        { id: 'a', urls: { app: 'x' }, rules: { type: 'none' } },
        { id: 'a', urls: {}, rules: {} },
      ],
    },
  });
});

test('an item of an array that is undefined stays so', () => {
  for (const value of [[undefined], { a: [1, undefined] }, undefined]) {
    expect(superjson.parse(outputText(value))).toStrictEqual(value);
  }
});

test.for<[string, (held: SerializedDocument) => unknown]>([
  ['alone', (held) => held],
  ['as a member', (held) => ({ id: 'a', title: undefined, document: held, path: 'a' })],
])('a document stored as text is serialized %s, without being parsed', ([, around]) => {
  const document = { object: 'document', data: { 'a"b': '\u2028' }, nodes: [] } as const;
  const held = new SerializedDocument(JSON.stringify(document));
  const parsed = vi.spyOn(held, 'toJSON');
  const text = outputText(around(held));
  expect(parsed).not.toHaveBeenCalled();
  expect(text).toBe(JSON.stringify({ json: around(document as never) }));
});

test('a document stored as text may be anywhere in the output', () => {
  const held = new SerializedDocument('{"object":"document","data":{},"nodes":[]}');
  const others = [{ documents: [held] }, [held, held], { a: held, b: held }];
  for (const value of others) expectSame(value);
});

test('work is done once for a cached output, and each time for any other', () => {
  const worked: unknown[] = [];
  const copy = oncePerCachedOutput((output) => {
    worked.push(output);
    return structuredClone(output);
  });
  const kept = cacheOutput({ id: 'kept' });
  const other = { id: 'other' };
  expect([copy(kept), copy(kept)]).toEqual([kept, kept]);
  for (const output of [other, other, 'text', 'text', null, null]) expect(copy(output)).toEqual(output);
  expect(worked).toEqual([kept, other, other, 'text', 'text', null, null]);
});

test('what is computed from a cached output is cached as well', () => {
  let texts = 0;
  const copy = oncePerCachedOutput((output) => ({ ...(output as object) }));
  const write = oncePerCachedOutput((output) => `${++texts} ${JSON.stringify(output)}`);
  const kept = cacheOutput({ a: 1 });
  expect([write(copy(kept)), write(copy(kept))]).toEqual(['1 {"a":1}', '1 {"a":1}']);
  expect([write(copy({ a: 1 })), write(copy({ a: 1 }))]).toEqual(['2 {"a":1}', '3 {"a":1}']);
});

test('a failure is not cached', () => {
  let calls = 0;
  const failOnce = oncePerCachedOutput(() => {
    if (++calls === 1) throw new Error('wrong');
    return 'right';
  });
  const kept = cacheOutput({});
  expect(() => failOnce(kept)).toThrow('wrong');
  expect(failOnce(kept)).toBe('right');
});
