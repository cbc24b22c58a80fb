/** Malformed documents that clients send, and Markdown that only resembles known syntax. */

import { describe, expect, test } from 'vitest';
import {
  type Block,
  type Document,
  DocumentInput,
  type Mark,
} from '../../../routers/engine/document/document.ts';
import { findRefs } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { fragment } from '../../../routers/engine/markdown/nodes.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

const documentOf = (...nodes: Block[]): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes,
});

const paragraphOf = (text: string, ...marks: Mark[]): Block => ({
  object: 'block',
  type: 'paragraph',
  nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks }] }],
});

const tableOf = (data: object): Document =>
  documentOf({ object: 'block', type: 'table', data: data as Record<string, unknown> });

test.each(['script', '\n\n# x', '*', 'del'])('a mark is never written as something else: %j', (syntax) => {
  const bold = paragraphOf('word', { object: 'mark', type: 'bold', data: { syntax } });
  expect(serializeMarkdown(documentOf(bold))).toBe('**word**\n');
});

test('an alignment is one of those that are known', () => {
  for (const align of ['constructor', '__proto__']) {
    const source = `<p align="${align}">x</p>\n`;
    expect(parseMarkdown(source).nodes).toMatchObject([{ type: 'markdown' }]);
    expect(serializeMarkdown(documentOf({ ...paragraphOf('x'), data: { align } }))).toBe('<p>x</p>\n');
  }
});

test('the code of an emoji that is a character of HTML is written as text', () => {
  const emoji = { object: 'inline', type: 'emoji', isVoid: true, data: { code: '3c-62-3e' } } as const;
  const document = documentOf({ object: 'block', type: 'paragraph', nodes: [emoji] });
  expect(serializeMarkdown(document)).toContain('>&#x3C;b></span>');
});

test('a view of a type and of columns that no table has shows nothing of them', () => {
  const table = tableOf({
    view: { type: 'constructor', columns: ['constructor', 'a'] },
    definition: { a: {} },
  });
  expect(published(table).nodes).toMatchObject([{ data: { view: { type: 'constructor' } } }]);
  expect(serializeMarkdown(table).match(/<th[ >]/g)).toHaveLength(1);
});

test('a malformed reference is no reference', () => {
  const refs = [
    { kind: 'openapi' },
    { kind: 'url', url: 5 },
    { kind: 'page', page: 'p', space: 5 },
    { kind: '' },
  ];
  const blocks = refs.map((ref): Block => ({ object: 'block', type: 'content-ref', data: { ref } }));
  expect(findRefs(documentOf(...blocks))).toEqual([]);
});

test.each([
  ['data.definition.a', { definition: { a: null } }],
  ['data.definition.a.title', { definition: { a: { title: {} } } }],
  ['data.records.r', { records: { r: 'x' } }],
  ['data.records.r.values', { records: { r: { values: [] } } }],
  ['data.view.columns.0', { view: { type: 'grid', columns: [null] } }],
])('a table that cannot be read is refused, with the place of the problem: %s', (place, data) => {
  const { error } = DocumentInput.safeParse(tableOf(data));
  expect(error?.issues).toMatchObject([
    { path: ['nodes', 0], message: expect.stringContaining(`${place}: `) },
  ]);
});

describe('a table that would be far longer once written is refused', () => {
  const named = (count: number, make: (index: number) => object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, make(index)]));
  const problemsOf = (table: Document) =>
    DocumentInput.safeParse(table).error?.issues.map(({ message }) => message);

  test('a table that would be far longer once written is refused for its many empty cells', () => {
    const sized = (rows: number, columns: number) =>
      problemsOf(tableOf({ definition: named(columns, () => ({})), records: named(rows, () => ({})) }));
    expect(sized(500, 400)).toBeUndefined();
    expect(sized(500, 401)).toEqual([expect.stringContaining('cells without a value')]);
  });

  test('a table that would be far longer once written is refused for the empty cells of all tables before it', () => {
    const data = { definition: named(500, () => ({})), records: named(200, () => ({})) };
    const tables = (count: number) =>
      problemsOf(documentOf(...Array.from({ length: count }, () => tableOf(data).nodes[0] as Block)));
    expect(tables(2)).toBeUndefined();
    expect(tables(3)).toEqual([expect.stringContaining('cells without a value')]);
  });

  test('a table that would be far longer once written is refused for its empty cells, whatever values of other columns its rows have', () => {
    const records = named(500, () => ({ values: named(2, (index) => ({ index })) }));
    const definition = Object.fromEntries(Array.from({ length: 401 }, (_, index) => [`c${index}`, {}]));
    expect(problemsOf(tableOf({ definition, records }))).toEqual([
      expect.stringContaining('cells without a value'),
    ]);
  });

  test('a table that would be far longer once written is refused for an alignment that is written in each cell', () => {
    const aligned = (length: number) =>
      problemsOf(tableOf({ definition: { a: { type: 'text', verticalAlignment: 'a'.repeat(length) } } }));
    expect(aligned(20)).toBeUndefined();
    expect(aligned(21)).toEqual([expect.stringContaining('verticalAlignment')]);
  });

  test('a table that would be far longer once written is refused for an option of which the label is written in each cell that has it', () => {
    const labelled = (length: number) => {
      const options = [{ value: 'x', label: 'a'.repeat(length), color: 'blue' }];
      return problemsOf(tableOf({ definition: { a: { type: 'select', options } } }));
    };
    expect(labelled(1000)).toBeUndefined();
    expect(labelled(1001)).toEqual([expect.stringContaining('options.0.label')]);
  });

  test('a table that would be far longer once written is refused for a fragment that is in several cells', () => {
    const fragments = [fragment('x', [paragraphOf('y')])];
    const withCells = (type: string, count: number) => {
      const data = { definition: { a: { type } }, records: named(count, () => ({ values: { a: 'x' } })) };
      return problemsOf(documentOf({ ...(tableOf(data).nodes[0] as Block), fragments }));
    };
    expect(withCells('text', 1)).toBeUndefined();
    expect(withCells('text', 2)).toEqual(['must have a fragment of its own for each cell']);
    expect(withCells('number', 2)).toBeUndefined();
  });
});

test('names of fragments and marks around inlines that are malformed are refused', () => {
  const fragment = { object: 'fragment', fragment: {}, nodes: [] };
  const image = { object: 'inline', type: 'inline-image', data: { marks: [null] } };
  const given = { object: 'document', data: { schemaVersion: 1 } };
  for (const [inside, path] of [
    [{ fragments: [fragment] }, ['fragments', 0]],
    [{ nodes: [image] }, ['nodes', 0, 'data', 'marks', 0]],
  ] as const) {
    const nodes = [{ object: 'block', type: 'expandable', ...inside }];
    const { error } = DocumentInput.safeParse({ ...given, nodes });
    expect(error?.issues).toMatchObject([{ path: ['nodes', 0, ...path] }]);
  }
});
