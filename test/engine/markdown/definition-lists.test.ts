import { expect, test } from 'vitest';
import type { Block, BlockNode, Document } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { violationsOf } from '../../helpers/published-documents.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';

const isBold = (node: BlockNode): boolean =>
  node.object === 'text' && node.leaves.every(({ marks }) => marks.some(({ type }) => type === 'bold'));

/** The types and texts of the published blocks, terms marked with a star. */
function shown(markdown: string): string[] {
  expectExact(markdown);
  const document = published<Document>(parseMarkdown(markdown));
  expect(violationsOf(document)).toEqual([]);
  return document.nodes.map(
    (block: Block) => `${block.nodes?.every(isBold) ? '*' : ''}${block.type} ${plainText([block])}`,
  );
}

test.for<[string, string[]]>([
  ['<dl><dt>a</dt><dd>b</dd></dl>', ['*paragraph a', 'paragraph b']],
  ['<dl>\n<dt>a\n<dt> c\n<dd>b <i>d</i>\n</dl>', ['*paragraph a', '*paragraph c', 'paragraph b d']],
  ['<dl class="x"><div><dt id="y">a</dt><dd>b</dd></div></dl>', ['*paragraph a', 'paragraph b']],
  [
    '<dl><dt><b>a</b> <code>b</code></dt><dd><p>c</p><ul><li>d</ul></dl>',
    ['*paragraph a b', 'paragraph c', 'list-unordered d'],
  ],
  ['<dl><dt></dt><dd>a</dd><dt><b> </b></dt></dl>', ['paragraph a']],
])('definitions are shown after their terms: %s', ([markdown, blocks]) => {
  expect(shown(`${markdown}\n`)).toEqual(blocks);
});

test.for([
  '<dl>\n  <dt>one</dt>\n  <dd>two</dd>\n</dl>\n',
  '<dl>\n  <dt>two\n  <dd>one\n  <dt>three\n</dl>\n',
])('an edit of one of them leaves the others as they are spelled: %s', (markdown) => {
  expect(editExported(markdown, '"one"', '"1"')).toBe(markdown.replace('one', '1'));
});
