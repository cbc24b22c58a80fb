import { describe, expect, test } from 'vitest';
import type { Block, Document, InlineNode } from '../../routers/engine/document/document.ts';
import { restoreDocumentSpelling } from '../../routers/engine/edit/document-spelling.ts';
import { restoreMarkdownSpelling } from '../../routers/engine/edit/markdown-spelling.ts';
import { evaluateDocument } from '../../routers/engine/expressions/document.ts';
import { LineFinder } from '../../routers/engine/import/line-finder.ts';
import { carryKeys, normalizeDocument } from '../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { createConflictResolver } from '../../routers/engine/merge/conflicts.ts';
import { mergeDocument } from '../../routers/engine/merge/document.ts';
import { compareBlocks } from '../../server/pages/document/differences.ts';
import type { RenderContext } from '../../server/pages/document/render-context.ts';
import { renderTable } from '../../server/pages/document/tables.ts';
import { expectLinear, type GrowthOptions } from '../helpers/growth.ts';

/** Large enough to exceed the limits of exact comparison, and to be measured. */
const LARGE: GrowthOptions = { from: 1024, milliseconds: 4 };

const range = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
const inline = (text: string): InlineNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: [] }],
});
const paragraph = (text: string, key?: string): Block => ({
  object: 'block',
  type: 'paragraph',
  ...(key !== undefined && { key }),
  nodes: [inline(text)],
});
const documentOf = (nodes: Block[]): Document => ({ object: 'document', data: { schemaVersion: 1 }, nodes });
const texts = (list: readonly string[]) => normalizeDocument(documentOf(list.map((text) => paragraph(text))));

/** Texts in which each split at the only line that is unique on both sides makes only one more line unique. */
const cutOneByOne = (size: number, filler: string): string[] => [
  'text 0',
  'once',
  ...range(size / 3, (index) => [`text ${index + 1}`, `${filler} ${index}`, `text ${index}`]).flat(),
];

/** The keys that equal blocks get, which a caller could choose for other blocks. */
const derivedKeys = (size: number): string[] =>
  texts(range(size, () => 'same')).nodes.map(({ key }) => key as string);

interface Versions {
  base: Document;
  ours: Document;
  theirs: Document;
}
const versionsOf = (base: Block[], ours: Block[], theirs: Block[]): Versions => ({
  base: documentOf(base),
  ours: documentOf(ours),
  theirs: documentOf(theirs),
});
const merge = ({ base, ours, theirs }: Versions) =>
  mergeDocument({ page: 'page' }, base, ours, theirs, createConflictResolver(new Map(), []));
const wideTable = (columns: number, rows: string) =>
  `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${rows}`;
/** Two edits of one document, as Markdown. */
function editsOf(base: string, ours: string, theirs: string): Versions {
  const before = parseMarkdown(base);
  const edited = (markdown: string) => carryKeys(before, parseMarkdown(markdown));
  return { base: before, ours: edited(ours), theirs: edited(theirs) };
}
const bits = (size: number, seed: number) => {
  let state = seed;
  return range(size, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) & 1;
  });
};

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

test.for<[string, string]>([
  ['line breaks of several kinds', 'a\\\nb\nc<br>d '],
  ['line breaks within emphasis', '**a\\\nb\nc** '],
  ['equal images', '![a](b) '],
  ['equal links', '[a](b) '],
  ['equal footnotes', 'a[^1] '],
])('a document is serialized and edited in linear time, with %s', ([name, unit]) => {
  // The longest texts take longer to parse than to serialize.
  const options = { from: 512, to: 2048, milliseconds: 3 };
  const read = (size: number) => parseMarkdown(`${unit.repeat(size)}end\n\n[^1]: Note.\n`);
  expectLinear(`writing ${name}`, read, serializeMarkdown, options);
  const edited = (size: number) => {
    const previous = read(size);
    const next = structuredClone(previous);
    next.nodes[0]?.nodes?.push(inline('more'));
    return { previous, next: normalizeDocument(next) };
  };
  expectLinear(
    `editing ${name}`,
    edited,
    ({ previous, next }) => restoreDocumentSpelling(previous, next),
    options,
  );
  const spelled = (size: number) => {
    const previous = read(size);
    const next = structuredClone(previous);
    for (const block of next.nodes) block.format = { before: 2 };
    return { previous, next };
  };
  expectLinear(
    `editing ${name} as Markdown`,
    spelled,
    ({ previous, next }) => restoreMarkdownSpelling(previous, next),
    options,
  );
});

const INPUTS = { page: { vars: { long: 'ab'.repeat(20_000), part: `${'ab'.repeat(100)}c` } } };

test.for<[string, (index: number) => string]>([
  ['the same', () => '1 + 1'],
  ['different', (index) => `${index} + 1`],
  ['of many operations', (index) => `${'1 && '.repeat(50)}${index}`],
  ['that make long texts', (index) => `page.vars.long + ${index}`],
  ['that search long texts', (index) => `page.vars.long.includes(page.vars.part) || ${index}`],
  ['that are malformed', (index) => `${index} +`],
])('a document is evaluated in linear time, with expressions %s', ([name, make]) => {
  const documentOfExpressions = (size: number) => {
    const expression = (index: number): InlineNode => ({
      object: 'inline',
      type: 'expression',
      data: { expression: make(index), marks: index % 2 ? [{ object: 'mark', type: 'bold' }] : [] },
    });
    const condition = (index: number): Block => ({
      object: 'block',
      type: 'if',
      data: { expression: make(index) },
      nodes: [paragraph('text')],
    });
    return documentOf([{ ...paragraph(''), nodes: range(size, expression) }, ...range(size, condition)]);
  };
  const run = (document: Document) => void evaluateDocument(document, INPUTS, 'all');
  expectLinear(name, documentOfExpressions, run, { from: 512, to: 2048, milliseconds: 4 });
});

describe('a table with many options and many rows', () => {
  const tableOf = (size: number): Block => {
    const options = range(size, (index) => ({ value: `o${index}`, label: `Option ${index}`, color: 'blue' }));
    const records = range(size, (index) => [`r${index}`, { values: { a: [`o${index}`] } }]);
    const data = {
      view: { type: 'grid', columns: ['a'] },
      definition: { a: { id: 'a', title: 'A', type: 'select', options } },
      records: Object.fromEntries(records),
    };
    return { object: 'block', type: 'table', data };
  };

  test('is serialized in linear time', () => {
    expectLinear('serialized', tableOf, (table) => void serializeMarkdown(documentOf([table])), LARGE);
  });

  test('is shown in a page in linear time', () => {
    const render = (table: Block) => void renderTable(table, {} as RenderContext, () => []);
    expectLinear('shown', tableOf, render, LARGE);
  });
});

test('a change request that removes many blocks is shown in linear time', () => {
  const blocks = (size: number) => range(size, (index) => paragraph(`${index}`, `${index}`));
  expectLinear('removed blocks', blocks, (before) => void compareBlocks(before, []), LARGE);
});

/** Tables in which the number of cells is quadratic in the length of the text, if missing cells are added. */
test.for<[string, (size: number) => string]>([
  ['a wide table with short rows', (size) => wideTable(size, '|\n'.repeat(size))],
  ['a wide table with rows of one cell', (size) => wideTable(size, '|x|\n'.repeat(size))],
  ['many tables with short rows', (size) => `${wideTable(150, '|\n'.repeat(300))}\n`.repeat(size / 64)],
  [
    'a table with a wide cell and short rows',
    (size) => `|a|b|\n|-|-|\n|${'x'.repeat(size)}|y|\n${'|x|\n'.repeat(size)}`,
  ],
])('%s is parsed and serialized in linear time', ([name, make]) => {
  const run = (markdown: string) => void serializeMarkdown(parseMarkdown(markdown));
  expectLinear(name, make, run, { from: 512, milliseconds: 4 });
  for (const size of [512, 4096]) {
    const markdown = make(size);
    const document = parseMarkdown(markdown);
    expect(JSON.stringify(document).length).toBeLessThan(200 * markdown.length);
    expect(serializeMarkdown(document).length).toBeLessThan(10 * markdown.length);
  }
});

test('a condition may contain more blocks than a function call allows arguments', () => {
  const nodes = range(300_000, () => paragraph('text'));
  const condition: Block = { object: 'block', type: 'if', data: { expression: 'true' }, nodes };
  expect(evaluateDocument(documentOf([condition]), {}, 'all').nodes).toHaveLength(300_000);
});

test.for<[string, (index: number) => string]>([
  ['in the text', (index) => `gone${index}.md`],
  ['in the text the other way round', (index) => `gone${1e6 - index}.md`],
  ['spelled in another way than any that is looked for', (index) => `elsewhere${index}.md`],
])('the lines of problems %s are found in linear time', ([name, hrefOf]) => {
  const textOf = (size: number) =>
    Array.from({ length: size }, (_, index) => `[a](gone${index}.md) gone${1e6 - index}.md\n`).join('');
  const find = ({ text, hrefs }: { text: string; hrefs: string[] }) => {
    const finder = new LineFinder(text);
    for (const href of hrefs) finder.lineOfLink(href);
  };
  const problems = (size: number) => ({
    text: textOf(size),
    hrefs: Array.from({ length: size }, (_, index) => hrefOf(index)),
  });
  expectLinear(name, problems, find, { from: 2048, to: 2048 });
});
