import { expect, test } from 'vitest';
import { published } from '../../../routers/engine/markdown/published/published.ts';
import { editExported } from './edit-exported.ts';
import { expectExact } from './exact.ts';
import { read } from './published-blocks.ts';

const typesIn = (markdown: string): string[] => {
  expectExact(markdown);
  return published(read(markdown)).nodes.map(({ type }) => type);
};

test.for([
  '<hr>',
  '<hr/>',
  '<hr />',
  '<HR>',
  '<hr class="x">',
  '<hr\nclass="x">',
  '<hr title="a>b">',
  '   <hr>',
])('a divider may be an element: %s', (html) => {
  expect(typesIn(`${html}\n`)).toEqual(['divider']);
  expect(typesIn(`a\n\n${html}\n\nb\n`)).toEqual(['paragraph', 'divider', 'paragraph']);
  const edited = editExported(`one\n\n${html}\n\ntwo\n`, '"one"', '"1"');
  expect(edited).toBe(`1\n\n${html}\n\ntwo\n`);
});

test('dividers that are elements are among other blocks, and in them', () => {
  expect(typesIn('a\n<hr>\n\nb\n')).toEqual(['paragraph', 'divider', 'paragraph']);
  expect(typesIn('<hr>\ntext\n')).toEqual(['divider', 'paragraph']);
  expect(typesIn('<div>\n<hr>\n</div>\n')).toEqual(['divider']);
  expect(read('* <hr>\n* > <hr/>\n').nodes).toMatchObject([
    { nodes: [{ nodes: [{ type: 'divider' }] }, { nodes: [{ nodes: [{ type: 'divider' }] }] }] },
  ]);
});

test('text is not written right after a divider that is an element, which would be of the same HTML', () => {
  const markdown = '<hr>\n{% hint style="info" %}\none\n{% endhint %}\n\ntwo\n';
  expectExact(markdown);
  expect(editExported(markdown, '"one"', '"1"')).toBe(markdown.replace('one', '1'));
});

test('nothing is shown of a divider that is hidden or in a comment', () => {
  expect(typesIn('<hr hidden>\n')).toEqual(['markdown']);
  expect(typesIn('<!-- <hr> -->\n')).toEqual(['markdown']);
});
