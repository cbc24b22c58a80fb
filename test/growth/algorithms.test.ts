import { describe, expect, test } from 'vitest';
import { withHints } from '../../routers/engine/document/admonitions.ts';
import type { Block, Document, InlineNode } from '../../routers/engine/document/document.ts';
import { restoreDocumentSpelling } from '../../routers/engine/edit/document-spelling.ts';
import { restoreMarkdownSpelling } from '../../routers/engine/edit/markdown-spelling.ts';
import { evaluateDocument } from '../../routers/engine/expressions/document.ts';
import { LineFinder } from '../../routers/engine/import/line-finder.ts';
import { normalizeDocument } from '../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { compareBlocks } from '../../server/pages/document/differences.ts';
import type { RenderContext } from '../../server/pages/document/render-context.ts';
import { renderTable } from '../../server/pages/document/tables.ts';
import { expectLinear } from '../helpers/growth.ts';
import { documentOf, inline, LARGE, paragraph, range, wideTable } from './documents.ts';

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

test('footnotes that refer to link definitions are published in linear time', () => {
  const read = (size: number) => {
    const labels = range(size, (index) => index + 1);
    const uses = labels.toReversed().map((label) => `a[^${label}] `);
    const notes = labels.map((label) => `[^${label}]: [b][${label}]\n`);
    const definitions = labels.map((label) => `[${label}]: ${label}.md\n`);
    return parseMarkdown(`${uses.join('')}\n\n${notes.join('')}\n${definitions.join('')}`);
  };
  expectLinear('publishing footnotes', read, published, { from: 256, to: 2048 });
});

test.each([
  ['admonitions between lines of text', '*a*\n:::note\nb\n:::\n'],
  ['ends of admonitions', 'a\n:::\n'],
])('%s are shown in linear time', (name, unit) => {
  const read = (size: number) => parseMarkdown(unit.repeat(size)).nodes;
  expectLinear(`showing ${name}`, read, withHints, { from: 256, to: 4096 });
});
