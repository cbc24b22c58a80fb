import { expect, test } from 'vitest';
import { carryKeys } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { mergeDocument } from '../../../routers/engine/merge/document.ts';

/** Merges two edits of a text; returns the resulting Markdown and the number of conflicts. */
function merge(base: string, ours: string, theirs: string): { markdown: string; conflicts: number } {
  const before = parseMarkdown(base);
  const [one, other] = [ours, theirs].map((markdown) => carryKeys(before, parseMarkdown(markdown)));
  let conflicts = 0;
  const settle = () => {
    conflicts++;
    return 'ours' as const;
  };
  if (!one || !other) throw new Error('two sides');
  return { markdown: serializeMarkdown(mergeDocument({ page: 'p' }, before, one, other, settle)), conflicts };
}

test('different formatting hints of a block are not a conflict', () => {
  const merged = merge('-  one\n-  two\n', '+ one\n+ two\n', '*   one\n*   two\n');
  expect(merged).toMatchObject({ conflicts: 0 });
});

test('a block that both sides changed does not keep the original Markdown of either', () => {
  const base = '##   One two three four\n';
  const merged = merge(base, base.replace('One', 'First'), base.replace('four', 'last'));
  expect(merged).toEqual({ markdown: '## First two three last\n', conflicts: 0 });
});

test('a block that one side changed keeps the spelling of that side', () => {
  const base = '##   One\n\n##   Two\n';
  expect(merge(base, base, base.replace('Two', 'Three'))).toEqual({
    markdown: '##   One\n\n##   Three\n',
    conflicts: 0,
  });
});
