import { describe, expect, test } from 'vitest';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { read } from './published-blocks.ts';

const shown = (markdown: string): Block[] => {
  expectExact(markdown);
  return published(read(markdown)).nodes;
};

const typesAndTexts = (nodes: readonly BlockNode[] = []): unknown[] =>
  nodes.flatMap((node) => (node.object === 'block' ? [[node.type, plainText([node])]] : []));

/** The blocks of each cell of a table below its heading. */
const cellsOf = ([table, ...others]: readonly Block[]): unknown[] => {
  expect([table?.type, others]).toEqual(['table', []]);
  return (table?.fragments ?? []).map(({ nodes }) => typesAndTexts(nodes));
};

const paragraphs = (...texts: string[]) => texts.map((text) => ['paragraph', text]);

describe('HTML that is malformed is shown as browsers show it', () => {
  test.for<[string, string, unknown[]]>([
    ['formatting without an end', '<td><b>one</td><td>two</td>', [paragraphs('one'), paragraphs('two')]],
    ['an element without an end', '<td><div>one</td><td>two</td>', [paragraphs('one'), paragraphs('two')]],
    ['neither has its end', '<td><div>one<td><a href="a.md">two', [paragraphs('one'), paragraphs('two')]],
    [
      'ends without a beginning',
      '<td>one</b></dl></td><td>two</div></td>',
      [paragraphs('one'), paragraphs('two')],
    ],
    [
      'ends in the wrong order',
      '<td><b><i>one</b></i></td><td>two</td>',
      [paragraphs('one'), paragraphs('two')],
    ],
    [
      'a sign that begins no tag',
      '<td>one < 2</td><td>a <b>two</td>',
      [paragraphs('one < 2'), paragraphs('a two')],
    ],
    [
      'an element that ends itself',
      '<td><a name="x"/>one</td><td>two</td>',
      [paragraphs('one'), paragraphs('two')],
    ],
  ])('%s', ([, cells, expected]) => {
    expect(cellsOf(shown(`<table>\n<tr class="x">${cells}</tr>\n</table>\n`))).toEqual(expected);
  });

  test('text around a table', () => {
    expect(typesAndTexts(shown('<div>\n<p>A <b>b</p>\n</b>\n<i>C</div></i>\n'))).toEqual(
      paragraphs('A b', 'C'),
    );
  });

  test('parts of a table whose other parts are in other blocks', () => {
    const markdown =
      '<table>\n<tr><td>one</td><td>\n\n**two**\n\n</td></tr>\n<tr><td>three</td><td>four\n\n- five\n\n</td></tr></table>\n';
    const [table, ...others] = shown(markdown).filter(({ type }) => type !== 'markdown');
    expect(cellsOf(table ? [table] : [])).toEqual([paragraphs('one'), paragraphs('')]);
    expect(typesAndTexts(others)).toEqual([
      ...paragraphs('two', 'three', 'four'),
      ['list-unordered', 'five'],
    ]);
    expect(editExported(markdown, '"three"', '"six"')).toBe(markdown.replace('three', 'six'));
  });

  test.for<[string, string]>([
    ['text between rows', '<table><tr><td>a</td></tr>text<tr><td>b</td></tr></table>\n'],
    ['text between rows of a section', '<table><tbody>text<tr><td>b</td></tr></tbody></table>\n'],
    ['text between cells', '<table><tr><td>a</td>text<td>b</td></tr></table>\n'],
    ['what may be a placeholder', '<table><tr><td><b>a</td><td><name></td></tr></table>\n'],
  ])('but as its source if something would be lost: %s', ([, markdown]) => {
    expect(shown(markdown).map(({ type }) => type)).toEqual(['code']);
  });

  test('an edit of a block beside it leaves it as it is', () => {
    const markdown = '<table>\n<tr><td><b>a</td></dl></tr>\n</table>\n\none\n';
    expect(editExported(markdown, '"one"', '"two"')).toBe(markdown.replace('one', 'two'));
  });
});

describe('cells of HTML tables that are kept verbatim', () => {
  const cellOf = (html: string): readonly BlockNode[] => {
    const [table] = shown(`<table><tr class="x"><td>${html}</td></tr></table>\n`);
    return table?.fragments?.[0]?.nodes ?? [];
  };
  const LINK = '<a href="https://example.com/">link</a>';

  test.for([
    `<span class="a">to a ${LINK}</span>`,
    `<p class="a">to a ${LINK}</p>`,
    `<div><font color="red">to a ${LINK}</font></div>`,
    `<dl><dd>to a ${LINK}</dd></dl>`,
    `<table><tr><td>to a ${LINK}</td></tr></table>`,
    `<section><p>to a ${LINK}</section>`,
    `<span hidden>not</span>to a ${LINK}`,
  ])('have the links that are in other elements: %s', (html) => {
    const content = cellOf(html);
    expect(typesAndTexts(content)).toEqual(paragraphs('to a link'));
    expect(JSON.stringify(content)).toContain('"url":"https://example.com/"');
  });

  test('have the blocks of elements for which there is none', () => {
    expect(
      typesAndTexts(
        cellOf('one<div>two<br></div><dl><dt><b>three</b></dt><dd>four<ul><li>five</li></ul></dd></dl>'),
      ),
    ).toEqual([...paragraphs('one', 'two', 'three', 'four'), ['list-unordered', 'five']]);
  });

  test('have the rows of a table in them as lines', () => {
    const rows = '<tr><th>a</th><th>b</th></tr><tr><td>c &amp; d</td><td></td></tr>';
    const code = '<tr><td>e</td><td><pre>f</pre></td></tr>';
    const table = `<table><caption>T</caption><colgroup><col></colgroup><thead>${rows}</thead><tbody>${code}</tbody></table>`;
    expect(typesAndTexts(cellOf(table))).toEqual([...paragraphs('T', 'a | b', 'c & d', 'e'), ['code', 'f']]);
  });

  test('are titles of columns without blocks', () => {
    const [table] = shown(
      '<table><tr class="x"><th><p>A</p><p>B</p></th></tr><tr><td>one</td></tr></table>\n',
    );
    expect(JSON.stringify(table?.data?.definition)).toContain('"title":"A\\nB"');
  });
});
