import { describe, expect, test } from 'vitest';
import type { Block } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { read } from './published-blocks.ts';

const inHtml = (content: string) =>
  `<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>${content}</td></tr></tbody></table>\n`;
const inPipes = (content: string) => `| A | B |\n| - | - |\n| ${content} | b |\n`;
const onPage = (content: string) => `${content}\n`;

/** The first block of a page or of its first cell. */
function first(markdown: string): Block | undefined {
  const [block] = published(read(markdown)).nodes;
  return block?.type === 'table'
    ? block.fragments?.find(({ fragment }) => fragment === 'r1c1')?.nodes[0]
    : block;
}

const LISTS: [string, object][] = [
  ['<ul class="x"><li>one</li><li>two</li></ul>', { type: 'list-unordered' }],
  [
    '<ul id="a" style="color: red"><li class="b">one</li><li data-x>two</li></ul>',
    { type: 'list-unordered' },
  ],
  ['<ol type="a"><li value="3">one</li><li>two</li></ol>', { type: 'list-ordered' }],
  ['<ol start="3" class="x"><li>one</li><li>two</li></ol>', { type: 'list-ordered', data: { start: 3 } }],
  ["<ul class=x id='y'><li>one<li>two</ul>", { type: 'list-unordered' }],
];

describe.for([
  ['on a page', onPage],
  ['in a cell of an HTML table', inHtml],
  ['in a cell between pipes', inPipes],
] as const)('lists with attributes %s', ([, place]) => {
  test.for(LISTS)('%s', ([html, expected]) => {
    const markdown = place(html);
    expectExact(markdown);
    const list = first(markdown);
    expect(list).toMatchObject(expected);
    expect(plainText(list ? [list] : [])).toBe('one\ntwo');
  });

  test('keep them where they are edited', () => {
    const markdown = place('<ul class="x"><li id="a">one</li><li>two</li></ul>');
    expect(editExported(markdown, '"one"', '"1"')).toBe(markdown.replace('one', '1'));
  });
});

test('a pipe in an attribute does not end the cell', () => {
  const markdown = inPipes('<ul class="a&#x7C;b"><li>one</li></ul>');
  expect(editExported(markdown, '"one"', '"1"')).toBe(markdown.replace('one', '1'));
});

test('what is no list stays as it is between pipes', () => {
  for (const html of [
    '<ol start="x"><li>one</li></ol>',
    '<p class="x">one</p>',
    '<ul a="b" a="c"><li>one</li></ul>',
  ]) {
    expectExact(inPipes(html));
    expect(first(inPipes(html))?.type).toBe('paragraph');
  }
});
