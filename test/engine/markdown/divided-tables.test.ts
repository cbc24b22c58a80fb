import { describe, expect, test } from 'vitest';
import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { read } from './published-blocks.ts';

const TABLE = `<table>
<tr>
<td>one</td>

</tr>

<tr>

<td>two</td>
</tr>
</table>
`;

const shown = (markdown: string): readonly Block[] => {
  expectExact(markdown);
  return published(read(markdown)).nodes;
};

const textsOf = (table: BlockNode | undefined): string[] =>
  table?.object === 'block' ? (table.fragments ?? []).map(({ nodes }) => plainText(nodes)) : [];

const types = (nodes: readonly Block[]): string[] => nodes.map(({ type }) => type);

describe('HTML tables with blank lines in them', () => {
  test('are tables', () => {
    const [table, after, ...others] = shown(`${TABLE}\nText\n`);
    expect(textsOf(table)).toEqual(['one', 'two']);
    expect([after?.type, others]).toEqual(['paragraph', []]);
  });

  test('are tables in other containers', () => {
    const indented = TABLE.replaceAll(/^(?=.)/gm, '  ');
    const [list] = shown(`- item\n\n${indented}`);
    const item = list?.nodes?.[0];
    expect(textsOf(item?.object === 'block' ? item.nodes?.[1] : undefined)).toEqual(['one', 'two']);
    const [quote] = shown(TABLE.replaceAll(/^/gm, '> ').replace(/> $/, ''));
    expect([quote?.type, textsOf(quote?.nodes?.[0])]).toEqual(['blockquote', ['one', 'two']]);
    expect(textsOf(shown(`<div align="center">\n${TABLE}</div>\n`)[0])).toEqual(['one', 'two']);
  });

  test('may have code with blank lines, and tables', () => {
    const code = '<table>\n<tr><td><pre>a\n\nb</pre></td></tr>\n\n</table>\n';
    expect(JSON.stringify(shown(code)[0]?.fragments).match(/code-line/g)).toHaveLength(3);
    const nested = '<table>\n<tr><td><table>\n<tr><td>a</td></tr>\n\n</table>\n\n</td></tr></table>\n';
    expect(textsOf(shown(nested)[0])).toEqual(['a']);
  });

  test('are read one by one', () => {
    expect(types(shown(`${TABLE}\n${TABLE}`))).toEqual(['table', 'table']);
    expect(types(shown(`<table>\n\n${TABLE}`))).toContain('table');
  });

  test('with Markdown in their cells show it between their parts', () => {
    const markdown = '<table>\n<tr><td>\n\n**one**\n\n- two\n\n</td></tr>\n</table>\n';
    expect(types(shown(markdown))).toEqual(['markdown', 'paragraph', 'list-unordered', 'markdown']);
  });

  test('end at template tags', () => {
    const markdown = `{% hint style="info" %}\n<table>\n<tr>\n\n<td>a</td>\n{% endhint %}\n</tr></table>\n`;
    expect(types(shown(markdown))[0]).toBe('hint');
  });

  test('of code are code', () => {
    expect(types(shown(`\`\`\`html\n${TABLE}\`\`\`\n`))).toEqual(['code']);
  });

  test('stay as they are written when a block beside them is edited', () => {
    const markdown = `${TABLE}\nthree\n`;
    expect(editExported(markdown, '"three"', '"four"')).toBe(markdown.replace('three', 'four'));
  });

  test('have their other cells as they were when one is edited', () => {
    const edited = editExported(TABLE, '"one"', '"three"');
    expect(textsOf(published(read(edited)).nodes[0])).toEqual(['three', 'two']);
  });
});
