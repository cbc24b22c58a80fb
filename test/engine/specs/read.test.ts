import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSpecText } from '../../../routers/engine/specs/read.ts';
import { expectLinear } from '../../helpers/growth.ts';

const read = (text: string) => parseSpecText(Buffer.from(text));

test('an OpenAPI spec can be JSON or YAML', () => {
  expect(read('\ufeff {"a": [1, "\\u00e9"]}')).toEqual({ value: { a: [1, 'é'] }, format: 'json' });
  expect(read('a:\r\n  - 1\r\n')).toEqual({ value: { a: [1] }, format: 'yaml' });
  expect(read('a: &a {b: 1}\nc:\n  <<: *a\n  d: 2\n')).toMatchObject({ value: { c: { b: 1, d: 2 } } });
});

test('JSON is parsed like JSON, not like YAML', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t'), (json, indent) => {
      const value: unknown = JSON.parse(json);
      fc.pre(typeof value === 'object' && value !== null && !json.includes('\\u') && json.isWellFormed());
      expect(read(JSON.stringify(value, null, indent))).toEqual({ value, format: 'json' });
    }),
  );
});

test.each<[string, string, object]>([
  ['is empty', ' \n', { message: 'It is empty.' }],
  ['is HTML', '\n<html>', { line: 1 }],
  ['is broken JSON', '{\n"a": 1\n"b": 2}', { line: 3, column: 1 }],
  ['ends early', '{"a": {"b": [1, 2', { line: 1 }],
  ['has a comma too many', '{"a": 1,}', {}],
  [
    'has a key twice',
    '{"a": {"b": 1},\n "c": [{}, {"d": "}{[\\"", "e": {}, "d": 2}]}',
    { path: '/c/1/d', line: 2 },
  ],
  ['has a key twice, escaped once', '{"a": 1, "\\u0061": 2}', { path: '/a' }],
  ['has a key twice in YAML', 'a: 1\nb: 2\na: 3\n', { line: 3 }],
  ['is broken YAML', 'a: 1\n b: 2\n', { line: 2 }],
  ['holds several YAML documents', 'a: 1\n---\nb: 2\n', {}],
  [
    'is nested too deep',
    `${'[{"a":'.repeat(60)}1${'}]'.repeat(60)}`,
    { path: expect.stringMatching(/^\/0\/a/) },
  ],
  ['is nested too deep in YAML', `a: ${'['.repeat(200)}${']'.repeat(200)}`, {}],
  ['is nested far too deep', '['.repeat(1_000_000), {}],
  ['contains a NUL', '{"a": "\\u0000"}', { path: '/a' }],
  ['contains half a character', '{"a": {"b.c/d": "\\ud800"}}', { path: '/a/b.c~1d' }],
  ['is binary', '\u0000', {}],
])('the text of an OpenAPI spec is rejected if it %s', (_, text, place) => {
  const result = read(text);
  expect(result).toMatchObject({ error: { code: 'PARSE_ERROR', message: expect.any(String), ...place } });
});

test('the text of an OpenAPI spec is rejected if aliases multiply', () => {
  const lines = ['a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]'];
  for (let i = 1; i < 9; i++)
    lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]`);
  expect(read(lines.join('\n'))).toMatchObject({ error: { message: expect.stringContaining('aliases') } });
  expect(read('a: &a\n  b: *a\n')).toHaveProperty('error');
});

test('the text of an OpenAPI spec is rejected if it is too large', () => {
  expect(parseSpecText(new Uint8Array(20 * 1024 * 1024 + 1))).toHaveProperty('error');
});

test.each<[string, (size: number) => string]>([
  ['backslashes', (size) => `{"a": "${'\\\\'.repeat(size)}"}`],
  ['quotes', (size) => `{"a": "${'\\"'.repeat(size)}"}`],
  ['keys', (size) => `{${Array.from({ length: size }, (_, i) => `"${i}": {}`)}}`],
  ['lists', (size) => `[${'[],'.repeat(size)}1]`],
])('the text of an OpenAPI spec is parsed in linear time, whatever its %s', (name, make) => {
  expectLinear(name, (size) => Buffer.from(make(size)), parseSpecText, { from: 2 ** 12 });
});
