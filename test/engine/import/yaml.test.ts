import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseYaml } from '../../../routers/engine/import/yaml.ts';

/** Common parts of front matter, and characters with a special meaning in YAML. */
const word = fc.constantFrom(
  ...['title', 'description', 'A', 'page', 'about', 'it', 'true', 'Null', 'yes', 'no', '12', 'x1'],
  ...['~', '-', '- ', ':', ': ', '#', ' #', '&a', '*a', '!', '|', '>', '[', '{', "'", '"', '%', '@', '`'],
  ...['...', '---', '<<', '.', ',', '(b)', '/', '_', '\t', ' ', '  ', 'é', '0x1', 'y', 'off'],
);
const line = fc
  .tuple(fc.constantFrom('title', 'icon', 'a-b', 'null', 'x y', ' title'), fc.array(word, { maxLength: 4 }))
  .map(([key, words]) => `${key}: ${words.join('')}`);

test('the shortcut for plain mappings returns the same as the parser', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const text = `${lines.join('\n')}\n`;
      const read = parseYaml(text);
      // A comment disables the shortcut.
      if (!('error' in read)) expect(parseYaml(`# \n${text}`)).toEqual(read);
    }),
    { numRuns: 3000 },
  );
});

test('a duplicate key is an error', () => {
  expect(parseYaml('title: One\ntitle: Two\n')).toMatchObject({
    error: expect.stringContaining('duplicated'),
    line: 2,
  });
});

test('unknown tags are ignored, and several documents are an error', () => {
  expect(parseYaml('a: !secret x\nb: !list [1]\nc: !map {d: !!binary 1}\n')).toEqual({
    value: { a: 'x', b: [1], c: { d: '1' } },
  });
  expect(parseYaml('a: !!str 1\nb: !!int 2\n')).toEqual({ value: { a: '1', b: 2 } });
  expect(parseYaml('a: 1\n---\nb: 2\n')).toMatchObject({ error: expect.stringContaining('more than one') });
  expect(parseYaml('')).toEqual({ value: null });
});

test('a few aliases are allowed, but not those that multiply', () => {
  expect(parseYaml('a: &a [1, 2]\nb: *a\n')).toEqual({ value: { a: [1, 2], b: [1, 2] } });
  const levels = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
  );
  expect(parseYaml(['a0: &a0 x', ...levels].join('\n'))).toMatchObject({
    error: expect.stringContaining('repeat'),
  });
  const long = `a: &a ${'x'.repeat(10_000)}\nb: [${Array(1000).fill('*a').join()}]`;
  expect(parseYaml(long)).toMatchObject({ error: expect.stringContaining('repeat') });
  expect(parseYaml('&a [*a]')).toHaveProperty('error');
});
