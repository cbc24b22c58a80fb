import { expect, test } from 'vitest';
import type { Block, BlockNode, Document } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

function textOf(node: BlockNode): string {
  if (node.object === 'text') return node.leaves.map(({ text }) => text).join('');
  const fragments = (node.fragments ?? []).flatMap((fragment) => fragment.nodes);
  return [...(node.nodes ?? []), ...fragments].map(textOf).join('');
}

const shown = (markdown: string): string[] => parseMarkdown(markdown).nodes.map(textOf);

test.each([
  ['a\\\n&#xNAN;_&#x54;he b_\n', 'a\nThe b'],
  ['a\\\n\\&#xNAN;**b**\n', 'a\nb'],
  ['# a &#xNAN;_b_\n', 'a b'],
  ['* a\\\n  &#xNAN;_b_\n', 'a\nb'],
  ['| a          |\n| ---------- |\n| b<br>&#xNAN;_c_ |\n', 'b\nc'],
  ['[&#xNAN;a](b.md)\n', 'a'],
  ['{% hint style="info" %}\na\\\n&#xNAN;_b_\n{% endhint %}\n', 'a\nb'],
])('%j is shown without the entity of a character that does not exist, and kept', (markdown, text) => {
  expect(shown(markdown)).toEqual([text]);
  expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
});

test.each([
  ['&#xNAN;\n', '&#xNAN;'],
  ['# &#xNAN;\n', '&#xNAN;'],
  ['a\n&#xNAN;\n', 'a\n&#xNAN;'],
  ['`&#xNAN;a`\n', '&#xNAN;a'],
  ['&amp;#xNAN;a\n', '&#xNAN;a'],
  ['[&#xNAN;](b.md)\n', '&#xNAN;'],
])('in %j it is text', (markdown, text) => {
  expect(shown(markdown)).toEqual([text]);
  expect(serializeMarkdown(parseMarkdown(markdown))).toBe(markdown);
});

test.each(['&#xNAN;', '&#xNAN;a', 'a &#xNAN; b', '\\&#xNAN;a', '&amp;#xNAN;a'])(
  'the text %j of a document is written so that it is read as the same text',
  (text) => {
    const leaf = { object: 'leaf' as const, text, marks: [] };
    const paragraph: Block = {
      object: 'block',
      type: 'paragraph',
      nodes: [{ object: 'text', leaves: [leaf] }],
    };
    const document: Document = { object: 'document', data: { schemaVersion: 8 }, nodes: [paragraph] };
    expect(shown(serializeMarkdown(document))).toEqual([text]);
  },
);
