import { expect, test } from 'vitest';
import { parseYaml } from '../../routers/engine/import/yaml.ts';
import { expectLinear } from '../helpers/growth.ts';

const repeat = (part: string) => (size: number) => part.repeat(Math.ceil(size / part.length));
const lines = (make: (index: number) => string) => (size: number) =>
  Array.from({ length: size / 8 }, (_, index) => make(index)).join('\n');
const within =
  (before: string, part: string, after = '') =>
  (size: number) =>
    before + repeat(part)(size) + after;

type Make = (size: number) => string;
const repeats = (...parts: string[]): Make[] => parts.map(repeat);
const inFlow = (...parts: string[]): Make[] => parts.map((part) => within('[', part, ']'));
const inValue = (...parts: string[]): Make[] => parts.map((part) => within(`a: ${part[0]}`, part.slice(1)));

const TEXTS: Record<string, Make[]> = {
  'tags and anchors': [
    ...repeats('!!a ', '!!a\n', '&a ', '&a a: b\n', '- !!a\n', '- &a\n'),
    within('a: &a 1\nb: [', '*a,', ']'),
    lines((index) => `- &a${index} b`),
    within('a: &a {x: 1}\nb:\n  <<: [', '*a,', ']'),
  ],
  indicators: [
    ...repeats(
      '? ',
      '?\n',
      '- ',
      '-\n',
      '- ? ',
      ': ',
      ':\n',
      'a: ',
      'a: b: c\n',
      '---\n',
      '...\n',
      '%a\n',
      '@',
    ),
    ...repeats('#a\n', '\t\n', ' \n', '\r', '\uFEFF'),
    (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
  ],
  'flow collections': [
    ...repeats('[', '{', '[{', '{a: ', ']'),
    ...inFlow(',', 'a,', 'a: b,', '[],', '{},', '? ', ': ', '!!a ', '&a ', '#a\n', '\n', '[[[[a]]]],'),
    (size) => `{${lines((index) => `key${index}: v,`)(size)}}`,
  ],
  scalars: [
    ...repeats('"', "'a' "),
    ...inValue('"b', '"b\n ', '"\\', '"\\\n', '"\n', '" ', "'''", "'b\n ", "' "),
    within('', 'a', ': 1'),
    within('a: ', 'b '),
    within('a:\n', ' b\n'),
    within('a: b', '\n', ' c'),
    within('a:', ' ', 'b'),
    within('a: |\n', ' b\n'),
    within('a: |\n', '\n'),
    within('a: >\n', ' b\n\n'),
    repeat('- |\n'),
    within('a:\n', ' #a\n', ' b: 1'),
    within('a: ', '1'),
    within('a: 0.', '0', 'x'),
  ],
  keys: [
    repeat('a: 1\n'),
    lines((index) => `key${index}: v`),
    lines((index) => `${index}: v`),
    lines((index) => `? [a${index}]\n: v`),
  ],
};

const LIMITS = { maxLength: 2 ** 26, maxDepth: 1000 };

test.for(Object.entries(TEXTS))('YAML is parsed in linear time: %s', ([name, makes]) => {
  const make = (size: number) => makes.map((one) => one(size));
  const run = (texts: string[]) => {
    for (const text of texts) parseYaml(text, LIMITS);
  };
  expectLinear(name, make, run, { from: 2 ** 13, milliseconds: 20 });
});

test('YAML beyond the size limit is not parsed', () => {
  expect(parseYaml(`a: ${'b'.repeat(64 * 1024)}`)).toMatchObject({
    error: expect.stringContaining('larger'),
  });
});
