import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../schema/json/parse-json.ts';

test('keys with escapes are parsed as they are, whatever was parsed before', () => {
  parseJson('{"\\\\":1,"h":[]}');
  parseJson('{"h":[],"\\\\":1}');
  expect(parseJson('{"\\"":1}')).toStrictEqual({ '"': 1 });
  expect(parseJson('{"h":1,"\\"":2}')).toStrictEqual({ h: 1, '"': 2 });
});

test('values are parsed as they are, whatever their keys', () => {
  const key = fc.oneof(
    fc.string({ unit: fc.constantFrom('b', '.', '\\', '0', '"', '\n', '/', 'é', ':', ' ', '\u0013') }),
    fc.constantFrom('constructor', 'toString', '__proto__', '1', '0'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { weight: 2, arbitrary: fc.oneof(key, fc.integer(), fc.constant(null), fc.boolean()) },
      { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
      { weight: 3, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }) },
    ),
  }));
  const space = fc.constantFrom(undefined, 1);
  fc.assert(
    fc.property(value, space, (given, indent) => {
      const text = JSON.stringify(given, null, indent);
      expect(JSON.stringify(parseJson(text), null, indent)).toBe(text);
      const escaped = text.replaceAll('b', '\\u0062');
      expect(JSON.stringify(parseJson(escaped), null, indent)).toBe(text);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['{"\\u0061":1,"a":2}', '{"a":2}'],
  ['{"a":1,"b":2,"\\u0061":3}', '{"a":3,"b":2}'],
  ['{"\\u005f_proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  ['{"b":1,"\\u0031":2}', '{"1":2,"b":1}'],
  ['"\\": "', '"\\": "'],
  ['{"\\x":1}', undefined],
  ['{"a\\":1}', undefined],
  ['\\', undefined],
  ['{"a":"\\"', undefined],
  ['', undefined],
])('%s is parsed as by JSON.parse', (text, expected) => {
  if (expected === undefined) expect(() => parseJson(text)).toThrow(SyntaxError);
  else expect(JSON.stringify(parseJson(text))).toBe(expected);
});

test('the nesting of a text may be deep', () => {
  const depth = 100_000;
  const text = `${'{"\\n":'.repeat(depth)}1${'}'.repeat(depth)}`;
  let value = parseJson(text);
  for (let level = 0; level < depth; level++) value = (value as Record<string, unknown>)['\n'];
  expect(value).toBe(1);
});
