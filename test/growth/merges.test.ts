import { describe, test } from 'vitest';
import type { Document } from '../../routers/engine/document/document.ts';
import { carryKeys, normalizeDocument } from '../../routers/engine/markdown/keys.ts';
import { expectLinear } from '../helpers/growth.ts';
import {
  bits,
  cutOneByOne,
  derivedKeys,
  documentOf,
  editsOf,
  inline,
  LARGE,
  merge,
  paragraph,
  range,
  texts,
  type Versions,
  versionsOf,
  wideTable,
} from './documents.ts';

describe('keys of blocks', () => {
  test.for<[string, (size: number) => Document]>([
    ['of equal blocks', (size) => documentOf(range(size, () => paragraph('same')))],
    ['that are all the same', (size) => documentOf(range(size, (index) => paragraph(`${index}`, 'key')))],
    [
      'chosen to be those that equal blocks would get',
      (size) =>
        documentOf([
          ...derivedKeys(size).map((key, index) => paragraph(`${index}`, key)),
          ...range(size, () => paragraph('same')),
        ]),
    ],
    [
      'of a paragraph of many texts',
      (size) => documentOf([{ ...paragraph(''), nodes: range(size, (index) => inline(`${index}`)) }]),
    ],
  ])('%s are assigned in linear time', ([name, make]) => {
    expectLinear(name, make, normalizeDocument, LARGE);
  });

  type Edit = [previous: Document, next: Document];
  test.for<[string, (size: number) => Edit]>([
    [
      'equal blocks that are all replaced',
      (size) => [texts(range(size, () => 'old')), texts(range(size, () => 'new'))],
    ],
    [
      'equal blocks that all moved',
      (size) => [
        texts(range(size, (index) => (index % 2 ? 'a' : `x ${index}`))),
        texts(range(size, (index) => (index % 2 ? `y ${index}` : 'a'))),
      ],
    ],
    [
      'blocks that have one anchor after another',
      (size) => [texts(cutOneByOne(size, 'a')), texts(cutOneByOne(size, 'b'))],
    ],
    [
      'blocks of as many types',
      (size) => {
        const typed = (text: string) =>
          normalizeDocument(
            documentOf(range(size, (index) => ({ ...paragraph(`${text} ${index}`), type: `type-${index}` }))),
          );
        return [typed('old'), typed('new')];
      },
    ],
    [
      'blocks whose words are compared',
      (size) => {
        const words = (from: number) => range(40, (index) => `word${from + index}`).join(' ');
        return [
          texts(range(size, (index) => (index % 60 < 40 ? words(index) : `anchor ${index}`))),
          texts(range(size, (index) => (index % 60 < 39 ? words(index + 1) : `anchor ${index}`))),
        ];
      },
    ],
    [
      'blocks whose keys are taken by those that equal ones would get',
      (size) => {
        const taken = derivedKeys(size);
        return [
          documentOf(taken.map((key, index) => paragraph(`kept ${index}`, key))),
          documentOf([
            ...range(size, (index) => paragraph(`kept ${index}`, `other ${index}`)),
            ...taken.map((key) => ({ ...paragraph('same', key), type: 'heading-1' })),
          ]),
        ];
      },
    ],
  ])('keys are carried over in linear time to %s', ([name, make]) => {
    expectLinear(name, make, ([previous, next]) => void carryKeys(previous, next), LARGE);
  });
});

describe('documents are merged in linear time', () => {
  const keyed = (keys: readonly string[], text = 'text') => keys.map((key) => paragraph(text, key));
  test.for<[string, (size: number) => Versions]>([
    [
      'whose lists are in conflict at every other block',
      (size) => {
        const side = (name: string) =>
          range(size, (index) =>
            paragraph(index % 2 ? `${name}` : 'text', index % 2 ? `${name}${index}` : `${index}`),
          );
        return versionsOf(side('base'), side('ours'), side('theirs'));
      },
    ],
    [
      'whose keys are all the same',
      (size) => {
        const same = (text: string) => range(size, (index) => paragraph(`${text} ${index}`, 'key'));
        return versionsOf(same('base'), same('ours'), same('theirs'));
      },
    ],
    [
      'whose blocks were all turned round',
      (size) => {
        const keys = range(size, String);
        return versionsOf(keyed(keys), keyed(keys.toReversed()), keyed(keys, 'changed'));
      },
    ],
    [
      'whose keys repeat and have one anchor after another',
      (size) =>
        versionsOf(
          keyed(cutOneByOne(size, 'a')),
          keyed(cutOneByOne(size, 'b'), 'changed'),
          keyed(cutOneByOne(size, 'c')),
        ),
    ],
    [
      'whose new keys are the same, and those with a suffix too',
      (size) => {
        const added = (text: string) => keyed(['a', ...range(size, (index) => `a-${index + 1}`)], text);
        return versionsOf(
          keyed(['first']),
          [...added('x'), ...keyed(['first'])],
          [...keyed(['first']), ...added('y')],
        );
      },
    ],
    [
      'whose one text has few different words',
      (size) => {
        const text = (seed: number) => [
          paragraph(
            bits(size, seed)
              .map((bit) => 'ab'[bit])
              .join(' '),
            'key',
          ),
        ];
        return versionsOf(text(1), text(2), text(3));
      },
    ],
    [
      'whose lines have one anchor after another',
      (size) => {
        const text = (filler: string) => [paragraph(cutOneByOne(size, filler).join('\n'), 'key')];
        return versionsOf(text('a'), text('b'), text('c'));
      },
    ],
    [
      'whose many short texts all differ',
      (size) => {
        const side = (seed: number) =>
          range(size / 16, (index) =>
            paragraph(
              bits(16, seed + index)
                .map((bit) => 'ab'[bit])
                .join(' '),
              `${index}`,
            ),
          );
        return versionsOf(side(1), side(100_001), side(200_001));
      },
    ],
    [
      'whose tables get many equal rows',
      (size) => {
        const table = (first: string, rows: number) => wideTable(1, `|${first}|\n${'||\n'.repeat(rows)}`);
        return editsOf(table('a', 1), table('b', size / 8), table('a', size / 4));
      },
    ],
    [
      'whose tables have many columns',
      (size) => {
        const table = (first: string, last: string) =>
          wideTable(size / 8, `|${first}${'|x'.repeat(size / 8 - 2)}|${last}|\n`);
        return editsOf(table('a', 'a'), table('b', 'a'), table('a', 'b'));
      },
    ],
    [
      'whose words bear long marks',
      (size) => {
        const marks = [{ object: 'mark' as const, type: 'color' as const, data: { text: 'x'.repeat(size) } }];
        const side = (word: string) => [
          {
            ...paragraph('', 'key'),
            nodes: [
              {
                object: 'text' as const,
                leaves: [{ object: 'leaf' as const, text: `${word} `.repeat(size), marks }],
              },
            ],
          },
        ];
        return versionsOf(side('a'), side('b'), side('c'));
      },
    ],
  ])('%s', ([name, make]) => {
    expectLinear(name, make, (versions) => void merge(versions), LARGE);
  });
});
