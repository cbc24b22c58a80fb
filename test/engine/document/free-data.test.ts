import { describe, expect, test } from 'vitest';
import { type Block, type Document, DocumentInput } from '../../../routers/engine/document/document.ts';
import { findHeadings, findRefs, plainText } from '../../../routers/engine/document/readers.ts';
import { restoreLinkLabels } from '../../../routers/engine/edit/link-labels.ts';
import { collectDocumentLinks } from '../../../routers/engine/links/document-links.ts';
import { normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { dataFields, nodeTypes } from '../../helpers/published-documents.ts';

/** Callers may send anything as the data of a node, which must not prevent a valid document from being processed. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  '',
  'x',
  [],
  [null],
  [[1]],
  {},
  // `String` throws for it.
  { toString: 1, valueOf: 1 },
  [{ toString: 1, valueOf: 1 }],
  { kind: 'url' },
  { kind: 'url', url: 1 },
  { kind: 'page', page: {} },
  { kind: 'anchor', anchor: 'a', page: 1 },
  { kind: 'file', file: 'a', space: [] },
  { kind: 'openapi' },
  { kind: 'constructor', type: 'constructor' },
  { constructor: null },
  [{ object: 'mark', type: {} }],
  { x: null },
  { x: { toString: 1, valueOf: 1 } },
  { x: { id: 'x', type: 'select', options: [null], values: null, title: [] } },
];

/** The parts of a table refer to each other: a single part would be ignored. */
const tableData = (value: unknown): object[] => [
  { view: { type: 'grid', columns: value }, records: {}, definition: {} },
  {
    view: { type: 'cards', columns: ['x'], cardSize: value },
    records: { x: value },
    definition: { x: value },
  },
  ...[
    'text',
    'number',
    'checkbox',
    'files',
    'users',
    'rating',
    'select',
    'content-ref',
    'image',
    'constructor',
    value,
  ].map((type) => ({
    view: { type: 'grid', columns: ['x', value], columnWidths: value },
    records: {
      a: { orderIndex: value, values: { x: value } },
      b: { orderIndex: 'b', values: { x: [value] } },
    },
    definition: { x: { id: 'x', type, title: value, textAlignment: value, options: value, max: value } },
  })),
];

const nodesWith = (data: object) => [
  ...nodeTypes('block').map((type) => ({ object: 'block', type, data })),
  ...nodeTypes('inline').map((type) => ({
    object: 'block',
    type: 'paragraph',
    nodes: [{ object: 'inline', type, data }],
  })),
  ...nodeTypes('mark').map((type) => ({
    object: 'block',
    type: 'paragraph',
    nodes: [
      { object: 'text', leaves: [{ object: 'leaf', text: 'a', marks: [{ object: 'mark', type, data }] }] },
    ],
  })),
];

function readEverything(nodes: object[]): void {
  const { data: input } = DocumentInput.safeParse({ object: 'document', data: { schemaVersion: 1 }, nodes });
  // Invalid tables and marks are rejected.
  if (!input && JSON.stringify(nodes).match(/"type":"table"|"marks"/)) return;
  const document = normalizeDocument(input as Document);
  normalizeDocument(published(document));
  parseMarkdown(serializeMarkdown(document));
  restoreLinkLabels(structuredClone(document), document);
  collectDocumentLinks(document);
  plainText(document);
  findHeadings(document);
  findRefs(document);
}

/** Finds the first node that cannot be processed, for the error message. */
function unreadable(nodes: object[]): unknown {
  for (const node of nodes) {
    try {
      readEverything([node]);
    } catch (error) {
      return [(error as Error).stack?.split('\n').slice(0, 3), node as Block];
    }
  }
  return undefined;
}

describe('a valid document can be processed whatever its nodes have as', () => {
  test.for(dataFields())('%s', (field) => {
    const nodes = STRANGE.flatMap((value) => nodesWith({ [field]: value }));
    expect(unreadable(nodes)).toBeUndefined();
  });

  test('a valid document can be processed whatever the parts of its tables are', () => {
    const nodes = STRANGE.flatMap(tableData).map((data) => ({ object: 'block', type: 'table', data }));
    expect(unreadable(nodes)).toBeUndefined();
  });

  test('a valid document can be processed if table columns are named like properties of Object.prototype', () => {
    const column = { id: 'constructor', type: 'number', title: 'A' };
    const data = {
      view: { type: 'grid', columns: ['constructor'] },
      records: { a: { orderIndex: 'a', values: {} } },
      definition: { constructor: column },
    };
    const document = DocumentInput.parse({
      object: 'document',
      data: { schemaVersion: 1 },
      nodes: [{ object: 'block', type: 'table', data }],
    });
    expect(serializeMarkdown(document)).toContain('<td></td>');
  });
});
