import fc from 'fast-check';
import createMarkdownIt, { type Token } from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { installBlockRules } from '../../../routers/engine/markdown/parse/block-rules.ts';
import type { PipeRows } from '../../../routers/engine/markdown/tables/table-rule.ts';

const ours = createMarkdownIt({ html: true });
installBlockRules(ours);
const library = createMarkdownIt({ html: true });

const tokensOf = (md: typeof ours, text: string): Token[] => {
  const tokens: Token[] = [];
  md.block.parse(text, md, {}, tokens);
  return tokens;
};

type Table = PipeRows & { lines: [number, number] | null };

function ourTables(text: string): Table[] {
  return tokensOf(ours, text)
    .filter(({ type }) => type === 'table')
    .map(({ meta, map }) => {
      const { aligns, header, rows } = meta as PipeRows;
      const completed = rows.map((row) => header.map((_, index) => row[index] ?? ''));
      return { aligns, header, rows: completed, lines: map };
    });
}

function libraryTables(text: string): Table[] {
  const tables: Table[] = [];
  let row: string[] = [];
  let isInTable = false;
  for (const token of tokensOf(library, text)) {
    if (token.type === 'table_open') tables.push({ aligns: [], header: [], rows: [], lines: token.map });
    if (token.type.startsWith('table_')) isInTable = token.type === 'table_open';
    const table = tables.at(-1);
    if (!table || !isInTable) continue;
    if (token.type === 'tr_open') row = [];
    else if (token.type === 'th_open') {
      table.header = row;
      table.aligns.push(String(token.attrGet('style') ?? '').replace('text-align:', ''));
    } else if (token.type === 'tr_close' && row !== table.header) table.rows.push(row);
    else if (token.type === 'inline') row.push(token.content);
  }
  return tables;
}

describe('pipe tables, compared with those of markdown-it', () => {
  test('generated text has the same tables as with markdown-it', () => {
    const piece = fc.constantFrom(
      '|',
      '|',
      '|',
      '-',
      '--',
      ':',
      ' ',
      '\n',
      '\n',
      '\\',
      'a',
      '`',
      '\t',
      '> ',
      '* ',
      '    ',
      '#',
    );
    const cells = fc.array(fc.constantFrom('|', '|', 'a', ' ', '\\|', '\\'), { maxLength: 8 });
    const table = fc
      .record({
        head: fc.constantFrom('', '> ', '* ', '   '),
        columns: fc.integer({ min: 1, max: 4 }),
        rows: fc.array(cells, { maxLength: 5 }),
        before: fc.constantFrom('', 'text\n', '\n'),
        delimiter: fc.constantFrom('-', ':-', '--:', ':-:', ' - ', '- -'),
      })
      .map(({ head, columns, rows, before, delimiter }) =>
        [
          `${before}${head}${'|a'.repeat(columns)}`,
          `${head}${`|${delimiter}`.repeat(columns)}`,
          ...rows.map((row) => `${head}${row.join('')}`),
        ].join('\n'),
      );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((pieces) => `|a|b\n|-|-\n${pieces.join('')}`),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
      table,
    );
    let found = 0;
    const property = fc.property(text, (source) => {
      const tables = ourTables(source);
      expect(tables).toEqual(libraryTables(source));
      found += tables.length;
    });
    fc.assert(property, { numRuns: 5000 });
    expect(found).toBeGreaterThan(1000);
  });

  test.for([
    '-',
    '|',
    '|-',
    '- -',
    '|:-:|',
    ' |-|',
    '\t|-|',
    '    |-|',
    '||',
    '| |',
    '|:|',
    '-|',
    '--|',
    ':-|',
  ])('%j below a header makes a table exactly if it does with markdown-it', (delimiter) => {
    const text = `|a|\n${delimiter}\n|b|`;
    expect(ourTables(text)).toEqual(libraryTables(text));
  });
});

describe('a row that is shorter than its table', () => {
  const valuesOf = (markdown: string) => {
    const [table] = parseMarkdown(markdown).nodes;
    const records = table?.data?.records as Record<string, { values: object }>;
    return Object.values(records).map(({ values }) => Object.keys(values));
  };

  test('a row that is shorter than its table has the cells that are written, and at least one', () => {
    expect(valuesOf('|a|b|c|\n|-|-|-|\n|1|\n|1|2|\n|\n|1||\n|1|2|3|\n')).toEqual([
      ['c1'],
      ['c1', 'c2'],
      ['c1'],
      ['c1', 'c2'],
      ['c1', 'c2', 'c3'],
    ]);
  });

  test.for([
    '| a | b | c |\n| - | - | - |\n| 1 |\n| 1 | 2 |\n',
    '| a  | b |\n| -- | - |\n| 12 |\n|    | 2 |\n',
    '|a|b|c|\n|-|-|-|\n|1|\n||\n',
    'a | b\n- | -\n1\n',
  ])('a row that is shorter than its table is written as short: %j', (markdown) => {
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });

  test('a row that is shorter than its table is written short where a document has no value', () => {
    const document = parseMarkdown('| a | b | c |\n| - | - | - |\n| 1 | 2 | 3 |\n');
    const [record] = Object.values(document.nodes[0]?.data?.records as Record<string, { values: object }>);
    Object.assign(record as object, { values: { c2: 'r1c2' } });
    const markdown = serializeMarkdown(document);
    expect(markdown).toBe('| a | b | c |\n| - | - | - |\n|   | 2 |\n');
  });
});
