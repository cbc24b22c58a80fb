import { expect } from 'vitest';
import type { Block, BlockNode, Document } from '../../../routers/engine/document/document.ts';
import { readDocument } from '../../../routers/engine/markdown/parse/parse-document.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

export const read = (markdown: string): Document => readDocument(markdown, undefined).document;

/** What one block of Markdown is answered as. */
export const only = (markdown: string): Block => {
  const [block, ...others] = published(read(markdown)).nodes;
  expect(others).toEqual([]);
  return block as Block;
};

/** The inline nodes of one paragraph. */
export const inlines = (markdown: string): BlockNode[] => only(`${markdown}\n`).nodes ?? [];

/** A text node; each leaf may have marks. */
export const text = (...leaves: (string | [string, ...string[]])[]) => ({
  object: 'text',
  leaves: leaves.map((leaf) => {
    const [value, ...marks] = typeof leaf === 'string' ? [leaf] : leaf;
    return { object: 'leaf', text: value, marks: marks.map((type) => ({ object: 'mark', type })) };
  }),
});
