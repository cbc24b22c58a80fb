import { describe, expect, test } from 'vitest';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseHtml } from '../../../routers/engine/markdown/html/html.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { read } from './published-blocks.ts';

/** HTML as the tags of a tree, without the end tags that could be left out. */
function treeOf(html: string): unknown {
  const tree = (nodes: ReturnType<typeof parseHtml>): unknown =>
    nodes?.map((node) => (node.tag === undefined ? node.text : [node.tag, ...(tree(node.children) as [])]));
  return tree(parseHtml(html));
}

test.for<[string, string]>([
  ['<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
  ['<ul><li>a<ul><li>b<li>c</ul><li>d</ul>', '<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>'],
  ['<ol><li><p>a<li><p>b</ol>', '<ol><li><p>a</p></li><li><p>b</p></li></ol>'],
  ['<div><p>a<p>b</div>', '<div><p>a</p><p>b</p></div>'],
  ['<p>a<ul><li>b</ul>', '<p>a</p><ul><li>b</li></ul>'],
  ['<p>a<hr><h2>b</h2>', '<p>a</p><hr><h2>b</h2>'],
  ['<p>a<div>b</div></p>', '<p>a</p><div>b</div>'],
  ['<dl><dt>a<dd>b<dt>c<dd><p>d</dl>', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd><p>d</p></dd></dl>'],
  [
    '<table><tr><td>a<td>b<tr><th>c<td>d</table>',
    '<table><tr><td>a</td><td>b</td></tr><tr><th>c</th><td>d</td></tr></table>',
  ],
  [
    '<table><caption>a<colgroup><col><thead><tr><th>b<tbody><tr><td>c<tfoot><tr><td>d</table>',
    '<table><caption>a</caption><colgroup><col></colgroup><thead><tr><th>b</th></tr></thead><tbody><tr><td>c</td></tr></tbody><tfoot><tr><td>d</td></tr></tfoot></table>',
  ],
  [
    '<table><tr><td><table><tr><td>a</table><td>b</table>',
    '<table><tr><td><table><tr><td>a</td></tr></table></td><td>b</td></tr></table>',
  ],
  [
    '<select><optgroup><option>a<option>b<optgroup><option>c</select>',
    '<select><optgroup><option>a</option><option>b</option></optgroup><optgroup><option>c</option></optgroup></select>',
  ],
  [
    '<table><tr><td><b>a</td><th><a><i>b</th><td>c</td></tr></table>',
    '<table><tr><td><b>a</b></td><th><a><i>b</i></a></th><td>c</td></tr></table>',
  ],
  ['<ruby>a<rt>b<rp>c</ruby>', '<ruby>a<rt>b</rt><rp>c</rp></ruby>'],
])('end tags may be left out where HTML lets them: %s', ([short, long]) => {
  expect(treeOf(short)).toEqual(treeOf(long));
  expect(treeOf(long)).toBeDefined();
});

test.for([
  '<ul><li>a',
  '<p>a',
  '<p>a <b>b</p>',
  '<ul><li><b>a<li>b</b></ul>',
  '<b><p>a</b>',
  '<div>a',
  '<ul><li>a</div></ul>',
])('no other end tag may be missing: %s', (html) => {
  expect(parseHtml(html)).toBeUndefined();
});

const typesAndTexts = (nodes: readonly BlockNode[] = []): unknown[] =>
  nodes.flatMap((node) => (node.object === 'block' ? [[node.type, plainText([node])]] : []));

const cellsOf = (table: Block | undefined): unknown[] =>
  (table?.fragments ?? []).map(({ nodes }) => typesAndTexts(nodes));

describe('HTML without the end tags that may be left out', () => {
  const shown = (markdown: string): Block[] => {
    expectExact(markdown);
    return published(read(markdown)).nodes;
  };

  test('lists are lists', () => {
    expect(typesAndTexts(shown('<ul><li>one<li>two</ul>\n'))).toEqual([['list-unordered', 'one\ntwo']]);
    expect(typesAndTexts(shown('<ol>\n<li>one\n<li>two\n</ol>\n'))).toEqual([['list-ordered', 'one\ntwo']]);
  });

  test('lists and paragraphs in a cell are what they are', () => {
    const list = [['list-unordered', 'one\ntwo']];
    const [pipes] = shown('| A | B |\n| - | - |\n| <ul><li>one<li>two</ul> | <p>a<p>b</p> |\n');
    expect(cellsOf(pipes)).toEqual([
      list,
      [
        ['paragraph', 'a'],
        ['paragraph', 'b'],
      ],
    ]);
    const html = (cell: string) =>
      `<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>${cell}</td></tr></tbody></table>\n`;
    expect(cellsOf(shown(html('<ul><li>one<li>two</ul>'))[0])).toEqual([list]);
  });

  test.for([
    '<table><thead><tr><th>A<th>B<tbody><tr><td>a<td>b<tr><td>c<td>d</table>\n',
    '<table>\n<tr><th>A<th>B\n<tr><td>a<td>b\n<tr><td>c<td>d\n</table>\n',
  ])('tables are tables: %s', (markdown) => {
    expect(cellsOf(shown(markdown)[0])).toEqual(['a', 'b', 'c', 'd'].map((text) => [['paragraph', text]]));
  });

  test('text in a cell ends with it, whatever tags it lacks', () => {
    const html = (cell: string) =>
      `<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>${cell}</td><td>b</td></tr></tbody></table>\n`;
    for (const cell of ['<code>a<code>', '<b>a', '<a href="x">a', '<span><i>a</i>'])
      expect(cellsOf(shown(html(cell))[0])).toEqual([[['paragraph', 'a']], [['paragraph', 'b']]]);
  });

  test('paragraphs end where a block begins, and empty ones are not shown', () => {
    expect(typesAndTexts(shown('<div>\n<p>a\n<p>b\n<ul><li>c</ul>\n</div>\n'))).toEqual([
      ['paragraph', 'a'],
      ['paragraph', 'b'],
      ['list-unordered', 'c'],
    ]);
    expect(typesAndTexts(shown('<p align="center">\n<h2>a</h2>\nb\n</p>\n'))).toEqual([
      ['heading-1', 'a'],
      ['paragraph', 'b'],
    ]);
  });

  test.for<[string, string]>([
    ['<ul><li>one<li>two</ul>\n', '<ul><li>one!<li>two</ul>\n'],
    ['<p>one\n<p>two\n', '<p>one!\n<p>two\n'],
    ['<div>\n<p>one\n<ul>\n<li>two\n</ul>\n</div>\n', '<div>\n<p>one!\n<ul>\n<li>two\n</ul>\n</div>\n'],
    [
      '| A | B |\n| - | - |\n| one | c |\n| <ul><li>two<li>three</ul> | d |\n',
      '| A | B |\n| - | - |\n| one! | c |\n| <ul><li>two<li>three</ul> | d |\n',
    ],
    [
      '<table>\n<tr><th>A<th>B\n<tr><td>one<td>two\n</table>\n',
      '<table>\n<tr><th>A<th>B\n<tr><td>one!<td>two\n</table>\n',
    ],
    [
      '<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>one</td><td><code>two<code></td></tr>\n</table>\n',
      '<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>one!</td><td><code>two<code></td></tr>\n</table>\n',
    ],
  ])('an edit leaves them out of the other lines: %s', ([markdown, edited]) => {
    expect(editExported(markdown, '"one"', '"one!"')).toBe(edited);
  });
});
