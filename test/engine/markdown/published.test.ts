import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, BlockNode, Document, Fragment } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { UNCHANGED } from './examples.ts';

const answered = (markdown: string): Document => published(parseMarkdown(markdown));

test.for(Object.entries(UNCHANGED))(
  'a document that is answered has the published fields only: %s',
  ([, markdown]) => {
    expect(violationsOf(answered(markdown))).toEqual([]);
  },
);

test('a published document has only fields of the published schemas, whatever the Markdown', () => {
  const pieces = Object.values(UNCHANGED).flatMap((markdown) => markdown.split(/(?<=\n)(?=\n)|(?= )/));
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      expect(violationsOf(answered(parts.join('')))).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test('a published document leaves out types, fields and marks that a client invented', () => {
  const text: BlockNode = {
    object: 'text',
    leaves: [
      { object: 'leaf', text: 'a', marks: [{ object: 'mark', type: 'bold', data: { syntax: '__' } }] },
    ],
  };
  const nodes: Block[] = [
    { object: 'block', type: 'heading-4', data: {}, nodes: [text] },
    { object: 'block', type: 'paragraph', data: { color: 'red' }, meta: { id: 'x' }, nodes: [text] },
    {
      object: 'block',
      type: 'hint',
      data: { style: 'tip' },
      nodes: [{ object: 'block', type: 'code', nodes: [] }],
    },
    { object: 'block', type: 'file', data: { ref: { kind: 'url', url: 'a.pdf' } } },
    { object: 'block', type: 'reusable-content', data: { ref: { kind: 'url', url: 'a.md' } } },
    { object: 'block', type: 'embed', data: {} },
  ];
  const document = published<Document>({ object: 'document', data: { schemaVersion: 1 }, nodes });
  expect(violationsOf(document)).toEqual([]);
  // What was in a heading of a level that there is none; a link to a file elsewhere; tags that say nothing.
  expect(document.nodes.map(({ type }) => type)).toEqual([
    'paragraph',
    'paragraph',
    'hint',
    'paragraph',
    'markdown',
    'markdown',
  ]);
  expect(document.nodes[3]?.nodes).toMatchObject([
    { type: 'link', nodes: [{ leaves: [{ text: 'a.pdf' }] }] },
  ]);
});

test.for([
  '<details>\n\n<summary>A</summary>\n\n</details>\n',
  '<details>\n\n<summary></summary>\n\n</details>\n',
  '<details>\n<summary>A</summary>\n</details>\n',
])(
  'a document that is answered has an empty paragraph in an expandable that holds nothing: %j',
  (markdown) => {
    const document = answered(markdown);
    expect(violationsOf(document)).toEqual([]);
    expect(document.nodes[0]?.fragments?.[1]?.nodes).toMatchObject([
      { type: 'paragraph', nodes: [{ leaves: [{ text: '' }] }] },
    ]);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  },
);

test('a published expandable has both of its fragments, whatever a client sent', () => {
  const paragraph: Block = {
    object: 'block',
    type: 'paragraph',
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'A', marks: [] }] }],
  };
  const nodes = [[], [paragraph], [paragraph, paragraph]].map((inside): Block => {
    const fragments = ['expandable-title', 'expandable-body'].map(
      (fragment): Fragment => ({ object: 'fragment', fragment, nodes: inside }),
    );
    return { object: 'block', type: 'expandable', data: {}, fragments };
  });
  const document = published<Document>({ object: 'document', data: { schemaVersion: 1 }, nodes });
  expect(violationsOf(document)).toEqual([]);
  expect(document.nodes.map(({ type }) => type)).toEqual(['expandable', 'expandable', 'expandable']);
  expect(plainText(document)).toBe('A\nA\nA A\nA\nA');
});

test('an image block where only text is allowed is published as an image in a paragraph', () => {
  const images = parseMarkdown('![A](a.png)\n').nodes;
  const fragments: Fragment[] = [{ object: 'fragment', fragment: 'expandable-title', nodes: images }];
  const nodes: Block[] = [{ object: 'block', type: 'expandable', data: {}, fragments }];
  const document = published<Document>({ object: 'document', data: { schemaVersion: 1 }, nodes });
  expect(violationsOf(document)).toEqual([]);
  expect(document.nodes[0]?.fragments?.[0]?.nodes).toMatchObject([
    {
      type: 'paragraph',
      nodes: [{ type: 'inline-image', data: { ref: { kind: 'url', url: 'a.png' }, alt: 'A' } }],
    },
  ]);
});

describe('headings', () => {
  const typesOf = (markdown: string) => parseMarkdown(markdown).nodes.map(({ type }) => type);
  const anchorsOf = (markdown: string) => answered(markdown).nodes.map(({ meta }) => meta?.id);

  test('headings are published one level below the title of the page, three levels deep, and are written as they were read', () => {
    const markdown = '# One\n\n## Two\n\n### Three\n\n#### Four\n\n##### Five\n\n###### Six\n\nSeven\n---\n';
    expect(typesOf(markdown)).toEqual([
      'heading-1',
      'heading-1',
      'heading-2',
      'heading-3',
      'heading-3',
      'heading-3',
      'heading-1',
    ]);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });

  test('headings are written with two to four hashes if there is no hint', () => {
    const nodes = ['heading-1', 'heading-2', 'heading-3'].map((type): Block => {
      return {
        object: 'block',
        type,
        data: {},
        nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'A', marks: [] }] }],
      };
    });
    const markdown = serializeMarkdown({ object: 'document', data: { schemaVersion: 1 }, nodes });
    expect(markdown).toBe('## A\n\n### A\n\n#### A\n');
  });

  test('headings have the anchor of their text, numbered where it is repeated', () => {
    expect(anchorsOf('## Install it!\n\n### Install it\n\n## 1. Node.js\n\n## Install it\n')).toEqual([
      'install-it',
      'install-it-1',
      'id-1.-node.js',
      'install-it-2',
    ]);
  });

  test('expandables have the anchor of their title; headings keep theirs, whatever precedes them', () => {
    const expandable = (title: string) =>
      `<details>\n\n<summary>${title}</summary>\n\nText.\n\n</details>\n\n`;
    const markdown = `${expandable('Set <em>up</em>')}## Set up\n\n${expandable('Set up')}${expandable('2 steps')}`;
    expect(anchorsOf(markdown)).toEqual(['set-up-1', 'set-up', 'set-up-2', 'id-2-steps']);
  });

  test.for([
    '## A title <a href="#own" id="own"></a>\n',
    '## A title <a id="own"></a>\n',
    '## <a name="own"></a>A title\n',
    '## <a id="own"></a> A title\n',
    '## A title <a href="#own" id="own"></a> <a id="other"></a>\n',
    '## A title {#own}\n',
    '## A title{#own}\n',
    '## A title { #own }\n',
    '## A title {: #own }\n',
  ])('headings have their own anchor where they were given one: %s', (markdown) => {
    const [heading] = answered(markdown).nodes;
    expect(heading).toMatchObject({ data: { id: 'own' }, meta: { id: 'own' } });
    expect(heading?.nodes).toEqual([
      { object: 'text', leaves: [{ object: 'leaf', text: 'A title', marks: [] }] },
    ]);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  });
});

test.for([' {#own}', '{#own}', ' { #own }', ' {: #own}'])(
  'a heading whose text ends like an id is read again as that text: %s',
  (end) => {
    const heading = parseMarkdown('## A title\n');
    const [block] = heading.nodes as [Block];
    const text = {
      object: 'text' as const,
      leaves: [{ object: 'leaf' as const, text: `A title${end}`, marks: [] }],
    };
    const read = parseMarkdown(serializeMarkdown({ ...heading, nodes: [{ ...block, nodes: [text] }] }));
    expect(read.nodes[0]).toMatchObject({ nodes: [{ leaves: [{ text: `A title${end}` }] }], data: {} });
  },
);

test.for([
  'one\ntwo\n',
  'one\\\ntwo\nthree\n',
  'one  \ntwo<br>three<br/>four\n',
  '**one\ntwo** [three\nfour](a.md)\nfive\n',
  '> one\n> two\n',
  '* one\n  two\n',
  '| a | b |\n| - | - |\n| c<br>d | e<br/>f |\n',
])('line breaks are line ends of the text, and come out as they went in: %j', (markdown) => {
  expect(JSON.stringify(answered(markdown))).not.toContain('line-break');
  expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
});

test('line breaks are written as hard ones if there is no hint', () => {
  const document = answered('one\ntwo\n');
  expect(serializeMarkdown(document)).toBe('one\\\ntwo\n');
});

describe('tables that are kept verbatim', () => {
  /** The text of the cells that are shown, by row, with that of the headings first. */
  const cellsOf = (markdown: string) => {
    const document = answered(markdown);
    expect(violationsOf(document)).toEqual([]);
    expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
    const [table, ...others] = document.nodes;
    expect([table?.type, others]).toEqual(['table', []]);
    const { view, definition, records } = (table as Block).data as {
      view: { columns: string[] };
      definition: Record<string, { title: string }>;
      records: Record<string, { values: Record<string, string> }>;
    };
    const textOf = (name: string | undefined) =>
      plainText(table?.fragments?.find(({ fragment }) => fragment === name)?.nodes ?? []).trim();
    return [
      view.columns.map((id) => definition[id]?.title),
      ...Object.values(records).map(({ values }) => view.columns.map((id) => textOf(values[id]))),
    ];
  };

  test('cells beyond the last column of a pipe table are left out, as the grammar says', () => {
    expect(cellsOf('| a | b |\n| :- | -: |\n| 1 | 2 | 3 |\n| x \\| y | `z` |  |\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['x | y', 'z'],
    ]);
  });

  test('HTML tables show all rows, whatever their attributes', () => {
    const markdown =
      '<table border="1">\n  <tr align="center"><th>A</th><th style="x">B</th></tr>\n  <tr><td>\n  1 <b>one</b></td><td class="y">2</td></tr>\n  <tr><th>3</th></tr>\n</table>\n';
    expect(cellsOf(markdown)).toEqual([
      ['A', 'B'],
      ['1 one', '2'],
      ['3', ''],
    ]);
  });

  test('cells of HTML tables that cover others leave these empty', () => {
    const markdown =
      '<table><tbody><tr><td rowspan="2">a</td><td colspan="2">b</td></tr><tr><td>c</td><td>d</td></tr></tbody></table>\n';
    expect(cellsOf(markdown)).toEqual([
      ['', '', ''],
      ['a', 'b', ''],
      ['', 'c', 'd'],
    ]);
  });

  test('columns that are not what their types say are columns of text, and hidden ones stay hidden', () => {
    const user = (name: string) => `<a href="https://example.com/${name}">${name}</a>`;
    const markdown = `<table><thead><tr><th>A</th><th data-type="users" data-multiple>By</th><th data-hidden data-type="users">C</th></tr></thead><tbody><tr><td>1</td><td>${user('Ann')}${user('Bo')}</td><td>${user('Cy')}</td></tr></tbody></table>\n`;
    expect(cellsOf(markdown)).toEqual([
      ['A', 'By'],
      ['1', 'Ann, Bo'],
    ]);
  });

  test('cards with attributes of their own are cards', () => {
    const markdown =
      '<table data-view="cards">\n<thead><tr align="center"><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead>\n<tbody><tr><td align="center"><h3>One</h3></td><td><a href="a.md">a</a></td></tr></tbody></table>\n';
    const [table] = answered(markdown).nodes;
    expect(table).toMatchObject({
      type: 'table',
      data: { view: { type: 'cards', columns: ['c1'], targetDefinition: 'c2' } },
    });
  });

  test.for<[string, string]>([
    ['a cell that covers too many columns', '<table><tr><td colspan="9000">a</td></tr></table>\n'],
    ['more cells than its length allows', '<table><tr><td colspan="90">a</td></tr></table>\n'],
    [
      'one wide row among many narrow ones',
      `<table><tr>${'<td>a</td>'.repeat(50)}</tr>${'<tr><td>a</td></tr>'.repeat(50)}</table>\n`,
    ],
    ['something between the rows', '<table border="1"><tr><td>a</td></tr><row></row></table>\n'],
  ])('a table is shown as its source if there is %s', ([, markdown]) => {
    expect(answered(markdown).nodes.map(({ type }) => type)).toEqual(['code']);
  });
});
