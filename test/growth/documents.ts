import type { Block, Document, InlineNode } from '../../routers/engine/document/document.ts';
import { carryKeys, normalizeDocument } from '../../routers/engine/markdown/keys.ts';
import { parseMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { createConflictResolver } from '../../routers/engine/merge/conflicts.ts';
import { mergeDocument } from '../../routers/engine/merge/document.ts';
import type { GrowthOptions } from '../helpers/growth.ts';

/** Large enough to exceed the limits of exact comparison, and to be measured. */
export const LARGE: GrowthOptions = { from: 1024, milliseconds: 4 };

export const range = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
export const inline = (text: string): InlineNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: [] }],
});
export const paragraph = (text: string, key?: string): Block => ({
  object: 'block',
  type: 'paragraph',
  ...(key !== undefined && { key }),
  nodes: [inline(text)],
});
export const documentOf = (nodes: Block[]): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes,
});
export const texts = (list: readonly string[]) =>
  normalizeDocument(documentOf(list.map((text) => paragraph(text))));

/** Texts in which each split at the only line that is unique on both sides makes only one more line unique. */
export const cutOneByOne = (size: number, filler: string): string[] => [
  'text 0',
  'once',
  ...range(size / 3, (index) => [`text ${index + 1}`, `${filler} ${index}`, `text ${index}`]).flat(),
];

/** The keys that equal blocks get, which a caller could choose for other blocks. */
export const derivedKeys = (size: number): string[] =>
  texts(range(size, () => 'same')).nodes.map(({ key }) => key as string);

export interface Versions {
  base: Document;
  ours: Document;
  theirs: Document;
}
export const versionsOf = (base: Block[], ours: Block[], theirs: Block[]): Versions => ({
  base: documentOf(base),
  ours: documentOf(ours),
  theirs: documentOf(theirs),
});
export const merge = ({ base, ours, theirs }: Versions) =>
  mergeDocument({ page: 'page' }, base, ours, theirs, createConflictResolver(new Map(), []));
export const wideTable = (columns: number, rows: string) =>
  `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${rows}`;
/** Two edits of one document, as Markdown. */
export function editsOf(base: string, ours: string, theirs: string): Versions {
  const before = parseMarkdown(base);
  const edited = (markdown: string) => carryKeys(before, parseMarkdown(markdown));
  return { base: before, ours: edited(ours), theirs: edited(theirs) };
}
export const bits = (size: number, seed: number) => {
  let state = seed;
  return range(size, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) & 1;
  });
};
