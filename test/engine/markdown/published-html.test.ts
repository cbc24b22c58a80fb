import { describe, expect, test } from 'vitest';
import type { Block, BlockNode, Document, Leaf } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { collectDocumentLinks } from '../../../routers/engine/links/document-links.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { partsOf } from '../../../routers/engine/search/sections.ts';
import { mapDocumentTexts } from '../../../routers/engine/translation/document-texts.ts';
import { violationsOf } from '../../helpers/published-documents.ts';

/** The published blocks of a source, which has to come out as it went in. */
function answered(markdown: string): Block[] {
  const document = published<Document>(parseMarkdown(markdown));
  expect(violationsOf(document)).toEqual([]);
  expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
  return document.nodes;
}

const shown = (markdown: string) =>
  answered(markdown).map((block) => {
    const align = block.data?.align;
    return [block.type, plainText([block]), ...(align === undefined ? [] : [align])];
  });

test.for<[string, string, unknown[][]]>([
  [
    'text after an element',
    '<p align="center">A</p>\nText &amp; <b>more</b>\nof it\n',
    [
      ['paragraph', 'A', 'center'],
      ['paragraph', 'Text & more of it'],
    ],
  ],
  [
    'buttons, and tags of templates within a line',
    '<div>\n<button class="x">One</button>\n<label>Two {% include a.html %}</label>\n</div>\n',
    [['paragraph', 'One Two {% include a.html %}']],
  ],
  [
    'elements in a row',
    '<h1 align="center">Title</h1>\n<p align="center" class="x" style="color: red">About</p>\n<hr/>\n<ul><li>one</li><li>two</li></ul>\n',
    [
      ['heading-1', 'Title', 'center'],
      ['paragraph', 'About', 'center'],
      ['divider', ''],
      ['list-unordered', 'one\ntwo'],
    ],
  ],
  [
    'elements in a wrapper, which gives them its alignment',
    '<div align="center" id="top">\n  <h2>Title</h2>\n  <center>About</center>\n  <p align="RIGHT">Right</p>\n  Text\n</div>\n',
    [
      ['heading-1', 'Title', 'center'],
      ['paragraph', 'About', 'center'],
      ['paragraph', 'Right', 'end'],
      ['paragraph', 'Text', 'center'],
    ],
  ],
  [
    'wrappers that end in another block',
    '<div align="center">\n<h1>Title</h1>\n\nText\n\n</div>\nEnd\n',
    [
      ['heading-1', 'Title', 'center'],
      ['paragraph', 'Text'],
      ['paragraph', 'End'],
    ],
  ],
  [
    'a style sheet, of which readers see nothing',
    '<div><style>p { color: red }</style>A</div>\n',
    [['paragraph', 'A']],
  ],
  [
    'a style sheet with blank lines',
    '<div>\n<style scoped>\n    p {\n      color: red;\n    }\n\n    td { color: red }\n\n</style>\n<p>A</p>\n</div>\n\nB\n',
    [
      ['paragraph', 'A'],
      ['paragraph', 'B'],
    ],
  ],
  [
    'attributes of MDX, which may be JavaScript',
    `<div style={{ margin: '0' }} onClick={() => 2 > 1}>\n<h3 id={"a"} style={{color}}>A</h3>\n<p align={\`center\`}>B</p>\n</div>\n`,
    [
      ['heading-2', 'A'],
      ['paragraph', 'B', 'center'],
    ],
  ],
  [
    'paragraphs that do not end',
    '<p>One\n<p>Two\n',
    [
      ['paragraph', 'One'],
      ['paragraph', 'Two'],
    ],
  ],
  [
    'what is hidden',
    '<p>One</p>\n<p hidden>Two</p>\n<p style="display: none">Three</p>\n',
    [['paragraph', 'One']],
  ],
  [
    'comments',
    '<p>One</p><!-- <p>not\n--> Two\n',
    [
      ['paragraph', 'One'],
      ['paragraph', 'Two'],
    ],
  ],
  [
    'a table',
    '<table><tr><td>a</td></tr></table>\nText\n',
    [
      ['table', 'a'],
      ['paragraph', 'Text'],
    ],
  ],
])('readers get HTML as the blocks that it shows: %s', ([, markdown, blocks]) => {
  expect(shown(markdown)).toEqual(blocks);
});

test('links and images of HTML that is shown are those of its references', () => {
  const blocks = answered(
    '<p align="center"><a href="/pages/page1" class="x"><img src="a.png" alt="A" height="40px" loading="lazy"></a></p>\n<font color="red">See <a href="b.md">b</a></font>\n',
  );
  expect(blocks).toMatchObject([
    {
      type: 'paragraph',
      nodes: [
        {
          type: 'link',
          data: { ref: { kind: 'page', page: 'page1' } },
          nodes: [{ type: 'inline-image', data: { alt: 'A', ref: { kind: 'url', url: 'a.png' } } }],
        },
      ],
    },
    { type: 'paragraph', nodes: [{}, { type: 'link', data: { ref: { kind: 'url', url: 'b.md' } } }] },
  ]);
});

test.for<[string, string, string[]]>([
  ['a table', '<section markdown="1">\n| a |\n|---|\n| b |\n</section>\n', ['markdown', 'table', 'markdown']],
  ['a list', '<div class="a" markdown>\n- a\n</div>\n', ['markdown', 'list-unordered', 'markdown']],
  [
    'the inner element',
    "<div>\n<p markdown='span'>\n*a*\n</p>\n</div>\n",
    ['markdown', 'paragraph', 'markdown'],
  ],
  ['not with another value', '<div markdown="0">\n*a*\n</div>\n', ['paragraph']],
])('elements with the attribute for it have Markdown without a blank line: %s', ([, markdown, types]) => {
  expect(answered(markdown).map(({ type }) => type)).toEqual(types);
});

test.for<[string, string]>([
  ['a script', '<p>A</p>\n<script>alert(1)</script>\n'],
  ['an element that nothing stands for', '<p>A</p>\n<iframe src="https://example.com"></iframe>\n'],
  ['malformed HTML with what may be a placeholder', '<p>A <b>b</p>\n<name>\n'],
  ['JavaScript that does not end', '<p>A</p>\n<p style={{ a: {>B</p>\n'],
  ['lines that are meant as Markdown', '<p>A</p>\n- one\n- two\n'],
  ['too many levels', `${'<div>'.repeat(30)}A${'</div>'.repeat(30)}\n`],
])('HTML is shown as its source if there is %s', ([, markdown]) => {
  expect(answered(markdown).map(({ type }) => type)).toEqual(['code']);
});

test('attributes that would run code are left out', () => {
  const blocks = answered(
    '<p onclick="a()">A</p>\n<img src="a.png" onerror="b()"> <a href="c" onclick="d()">B</a>\n',
  );
  expect(blocks.map(({ type }) => type)).toEqual(['paragraph', 'paragraph']);
  expect(JSON.stringify(blocks)).not.toMatch(/onclick|onerror/);
});

describe('headings in HTML that is shown', () => {
  const markdown = '<h2>Use</h2>\n<p>One</p>\n\n## Use\n\nTwo\n';
  const anchorsIn = (nodes: readonly BlockNode[]) =>
    nodes.flatMap((node) => (node.object === 'block' ? (node.meta?.id ?? []) : []));

  test('have anchors, which links and search results lead to', () => {
    const document = parseMarkdown(markdown);
    const anchors = ['use', 'use-1'];
    expect(anchorsIn(published(document).nodes)).toEqual(anchors);
    expect(partsOf(document)[0]?.sections).toEqual([
      { anchor: 'use', title: 'Use', text: 'One' },
      { anchor: 'use-1', title: 'Use', text: 'Two' },
    ]);
    expect(collectDocumentLinks(document).anchors).toEqual(['use', 'use1']);
  });

  test('count for the anchors that headings keep in translations', () => {
    const translated = mapDocumentTexts(parseMarkdown(markdown), {
      text: (text) => text,
      inlines: (nodes) =>
        nodes.map((node) =>
          node.object === 'text'
            ? { ...node, leaves: node.leaves.map((leaf) => ({ ...leaf, text: `${leaf.text}!` })) }
            : node,
        ),
    });
    expect(anchorsIn(published(translated).nodes)).toEqual(['use', 'use-1']);
  });
});

describe('details without blank lines', () => {
  const fragmentsOf = (markdown: string) =>
    answered(markdown).map(({ type, fragments = [] }) => [
      type,
      ...fragments.map(({ nodes }) => nodes.map((node) => `${node.type} ${plainText([node])}`)),
    ]);

  test.for<[string, string, string[]]>([
    ['text after the summary', '<details><summary>A <b>b</b></summary>Text</details>\n', ['paragraph Text']],
    [
      'text on the line of the summary',
      '<details>\n<summary>A b</summary> Text <i>here</i>\nand there\n</details>\n',
      ['paragraph Text here and there'],
    ],
    [
      'text on the next line',
      '<details open>\n<summary>A b</summary>\nText\n</details>\n',
      ['paragraph Text'],
    ],
    [
      'elements, attributes, and a summary of several lines',
      '<details class="x">\n<summary class="y">\nA b\n</summary>\n<p>One</p>\n<ul><li>Two</li></ul>\n</details>\n',
      ['paragraph One', 'list-unordered Two'],
    ],
  ])('%s', ([, markdown, body]) => {
    expect(fragmentsOf(markdown)).toEqual([['expandable', ['paragraph A b'], body]]);
    expect(fragmentsOf(`Before\n\n${markdown}\nAfter\n`)).toEqual([
      ['paragraph'],
      ['expandable', ['paragraph A b'], body],
      ['paragraph'],
    ]);
    expect(collectDocumentLinks(parseMarkdown(markdown)).anchors).toEqual(['ab']);
  });

  test.for([
    '<details class="x" data-x=\'a open\'>\n\n<summary class="y">A</summary>\n\n**Text**\n\n</details>\n',
    '<details class="x"><summary id="y">A</summary>\n\n**Text**\n\n</details>\n',
    '<details open="">\n<summary>A</summary>\n\n**Text**\n</details>\n',
  ])('attributes stay as they are, also when the text is edited: %s', (markdown) => {
    const document = parseMarkdown(markdown);
    const [made] = document.nodes;
    expect([made?.type, made?.data?.open]).toEqual(['expandable', markdown.includes('open=""') || undefined]);
    const words = (leaf: Leaf) => ({ ...leaf, text: leaf.text.replace('Text', 'Words') });
    const edited = mapDocumentTexts(document, {
      text: (text) => text,
      inlines: (nodes) =>
        nodes.map((node) => (node.object === 'text' ? { ...node, leaves: node.leaves.map(words) } : node)),
    });
    expect(serializeMarkdown(document)).toBe(markdown);
    expect(serializeMarkdown(edited)).toBe(markdown.replace('Text', 'Words'));
  });

  test('details in details, also of GitBook', () => {
    const inner = '<details><summary>B</summary>\nText\n</details>';
    const [outer] = answered(`<details>\n<summary>A</summary>\n${inner}\n</details>\n`);
    const body = outer?.fragments?.find(({ type }) => type === 'expandable-body')?.nodes;
    expect(body?.map(({ type }) => type)).toEqual(['expandable']);
    const [gitbook] = answered(`<details>\n\n<summary>A</summary>\n\n${inner}\n\n</details>\n`);
    expect(gitbook?.fragments?.[1]?.nodes.map(({ type }) => type)).toEqual(['expandable']);
  });

  test('what cannot be shown as an expandable stays code, and many are read in linear time', () => {
    for (const markdown of [
      '<details>\nText\n</details>\n',
      '<details><summary><p>A</p></summary>Text</details>\n',
      '<details>\n<summary>A</summary>\n- Markdown\n</details>\n',
    ])
      expect(answered(markdown).map(({ type }) => type)).toEqual(['code']);
    const started = performance.now();
    parseMarkdown('<details>\n<details>\n</details>\n'.repeat(5_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
