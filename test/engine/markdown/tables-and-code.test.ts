import { expect, test } from 'vitest';
import type { Block, Document } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { readDocument } from '../../../routers/engine/markdown/parse/parse-document.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { writeDocument } from '../../../routers/engine/markdown/write/serialize-document.ts';
import { only, read, text } from './published-blocks.ts';

/** The blocks in the first cell of a table's first row. */
const cell = (markdown: string): Block[] =>
  only(markdown).fragments?.find(({ fragment }) => fragment === 'r1c1')?.nodes ?? [];

const inHtml = (content: string) =>
  `<table data-view="cards"><thead><tr><th></th></tr></thead><tbody><tr><td>${content}</td></tr></tbody></table>\n`;

test('a header that is hidden by an edit replaces an attribute that says that it is not', () => {
  const table = only(
    '<table data-header-hidden="false"><thead><tr><th>A</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>\n',
  );
  const view = { ...(table.data?.view as object), hideHeader: true };
  const hidden = { ...table, data: { ...table.data, view } };
  const document: Document = { object: 'document', data: { schemaVersion: 1 }, nodes: [hidden] };
  expect(writeDocument(document, undefined)).toMatch(/^<table data-header-hidden><thead>/);
});

test('cells hold the paragraphs, headings and lists of their elements', () => {
  const table = '| A | B |\n| - | - |\n| <p>a *b*</p><p>c</p><ol><li>d</li></ol> | e |\n';
  expect(cell(table).map(({ type }) => type)).toEqual(['paragraph', 'paragraph', 'list-ordered']);
  expect(cell(table)[0]?.nodes).toEqual([text('a ', ['b', 'italic'])]);
  expect(cell(inHtml('<h3>a</h3><h4>b</h4>text<ul><li>c</li></ul>')).map(({ type }) => type)).toEqual([
    'heading-2',
    'heading-3',
    'paragraph',
    'list-unordered',
  ]);
});

test('cells keep as it is what stands where it cannot', () => {
  const table = '| A | B |\n| - | - |\n| <p>a<ul><li>b</p></li></ul> | c |\n';
  expect(cell(table).map(({ type }) => type)).toEqual(['paragraph']);
  expect(JSON.stringify(cell(table))).toContain('<ul>');
});

test('cells hold images, code and hints', () => {
  const code = '<pre><code>a\nb\n</code></pre>';
  const hint =
    '<div data-gb-custom-block data-tag="hint" data-style="success" class="hint hint-success"><p>c</p></div>';
  const figure = '<figure><img src="d.png" alt=""><figcaption><p>e</p></figcaption></figure>';
  const blocks = cell(inHtml(code + hint + figure));
  expect(blocks.map(({ type }) => type)).toEqual(['code', 'hint', 'images']);
  expect(blocks[0]?.nodes).toHaveLength(2);
  const { document } = readDocument(inHtml(code + hint + figure), undefined);
  expect(read(writeDocument(document, undefined))).toEqual(document);
});

test.for([
  ['`a | b`', 'a | b'],
  ['x `a |b` y `` c`|d ``', 'x a |b y c`|d'],
  ['``a|`b``', 'a|`b'],
] as const)(
  'pipes in code between backticks are text in a row that has too many of them: %j',
  ([cell, text]) => {
    const table = `| A | B |\n| - | - |\n| ${cell} | c \\| d |\n`;
    expect(serializeMarkdown(parseMarkdown(table))).toBe(table);
    expect(plainText(parseMarkdown(table))).toBe(`A\nB\n${text}\nc | d`);
  },
);

test('pipes between backticks separate the cells of a row that has as many as the table', () => {
  expect(plainText(parseMarkdown('| A | B |\n| - | - |\n| `a | b` |\n'))).toBe('A\nB\n`a\nb`');
});

test('cells have pipes in code that is an element', () => {
  const table = '| A | B |\n| - | - |\n| <code>a | b</code> | c \\| d |\n';
  const texts = only(table).fragments?.map(({ nodes }) => nodes[0]?.nodes);
  expect(texts).toEqual([[text(['a | b', 'code'])], [text('c | d')]]);
});

test('tables have the options of their columns, with those that only a cell names', () => {
  const heading = '<th>S<select multiple><option value="x" label="X" color="blue"></option></select></th>';
  const spans = '<span data-option="x">X, </span><span data-option="y">Y</span>';
  const table = only(
    `<table><thead><tr>${heading}</tr></thead><tbody><tr><td>${spans}</td></tr></tbody></table>\n`,
  );
  expect(table.data).toMatchObject({
    definition: {
      c1: {
        type: 'select',
        title: 'S',
        multiple: true,
        options: [
          { value: 'x', label: 'X', color: 'blue' },
          { value: 'y', label: 'Y', color: '' },
        ],
      },
    },
    records: { r1: { values: { c1: ['x', 'y'] } } },
  });
});

test('tables keep unknown data attributes, but not styles', () => {
  const table = (attribute: string) =>
    `<table ${attribute}><thead><tr><th>A</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>\n`;
  const kept = table('data-card-wrap="false"');
  expect(only(kept).type).toBe('table');
  expect(writeDocument(read(kept), undefined)).toBe(kept);
  expect(read(table('style="color:red"')).nodes.map(({ type }) => type)).toEqual(['markdown']);
});

test('tables have values of other types as text where they are none', () => {
  const table = only(
    '<table><thead><tr><th data-type="number">N</th></tr></thead><tbody><tr><td>1.5</td></tr><tr><td>1,000</td></tr><tr><td></td></tr></tbody></table>\n',
  );
  expect(table.data?.records).toMatchObject({
    r1: { values: { c1: 1.5 } },
    r2: { values: { c1: '1,000' } },
  });
  expect(table.data).toHaveProperty('records.r3.values', {});
});

test('tables write the label of a link for the target only that it was read with', () => {
  const markdown =
    '<table><thead><tr><th data-type="content-ref">L</th></tr></thead><tbody><tr><td><a href="a/b.md">Title</a></td></tr></tbody></table>\n';
  const document = read(markdown);
  expect(writeDocument(document, undefined)).toBe(markdown);
  const changed = JSON.parse(
    JSON.stringify(document).replace(
      '"c1":{"kind":"url","url":"a/b.md"}',
      '"c1":{"kind":"url","url":"a/c.md"}',
    ),
  ) as Document;
  expect(writeDocument(changed, undefined)).toContain('<a href="a/c.md">c.md</a>');
});

test('code as an element has its language, attributes and highlighted lines', () => {
  const code = only(
    '<pre class="language-sh" data-full-width="true"><code class="lang-sh"><strong>a &#x26; b\n</strong>c <strong>d</strong>\n\n</code></pre>\n',
  );
  expect(code).toMatchObject({ type: 'code', data: { syntax: 'sh', fullWidth: true } });
  expect(code.nodes?.map((line) => (line as Block).data)).toEqual([{ highlighted: true }, {}, {}]);
  expect(code.nodes?.map((line) => (line as Block).nodes)).toEqual([
    [text('a & b')],
    [text('c ', ['d', 'bold'])],
    [text('')],
  ]);
});

test('code as an element stays as it is with any element that is unknown', () => {
  expect(only('<pre class="language-sh"><code><u>a</u>\n</code></pre>\n')).toMatchObject({
    data: { syntax: 'html' },
  });
  expect(only('<pre onclick="a()"><code>b\n</code></pre>\n')).toMatchObject({ data: { syntax: 'html' } });
});

test('code as an element is written for a document that has highlighted lines', () => {
  const document = read('```js\na\nb\n```\n');
  const line = (document.nodes[0] as Block).nodes?.[1] as Block;
  line.data = { highlighted: true };
  const markdown = writeDocument(document, undefined);
  expect(markdown).toBe(
    '<pre class="language-js"><code class="lang-js">a\n<strong>b\n</strong></code></pre>\n',
  );
  expect(published(read(markdown)).nodes).toEqual(published(document).nodes);
});
