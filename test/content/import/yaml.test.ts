import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readYaml } from '../../../routers/content/import/yaml.ts';

/** What front matter is made of, and what gives a plain line another meaning in YAML. */
const word = fc.constantFrom(
  ...['title', 'description', 'A', 'page', 'about', 'it', 'true', 'Null', 'yes', 'no', '12', 'x1'],
  ...['~', '-', '- ', ':', ': ', '#', ' #', '&a', '*a', '!', '|', '>', '[', '{', "'", '"', '%', '@', '`'],
  ...['...', '---', '<<', '.', ',', '(b)', '/', '_', '\t', ' ', '  ', 'é', '0x1', 'y', 'off'],
);
const line = fc
  .tuple(fc.constantFrom('title', 'icon', 'a-b', 'null', 'x y', ' title'), fc.array(word, { maxLength: 4 }))
  .map(([key, words]) => `${key}: ${words.join('')}`);

test('a mapping that is plain enough to be read without the parser is read as by the parser', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const text = `${lines.join('\n')}\n`;
      const read = readYaml(text);
      if ('error' in read) return;
      expect(read.value).toEqual(parse(text, { logLevel: 'error' }));
    }),
    { numRuns: 3000 },
  );
});

test('the same key twice is an error', () => {
  expect(readYaml('title: One\ntitle: Two\n')).toMatchObject({ error: expect.stringContaining('unique') });
});
