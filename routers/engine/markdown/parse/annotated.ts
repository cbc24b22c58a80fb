import type { Inline, InlineNode, Mark, Text } from '../../document/document.ts';
import { asRef } from '../../document/refs.ts';
import { formatOf, leafText, sameMarks, textNode } from '../nodes.ts';

/** The anchor of the link around an annotated text, before the label of its footnote. */
export const NOTE_ANCHOR = 'user-content-fn-';

/** Longest annotated text, in characters: some scripts have no spaces between words. */
const MAX_ANNOTATED = 60;

/** Removes the annotated text from before a footnote: the last word, or the last run if the footnote lacks its marks. */
export function takeAnnotated(nodes: InlineNode[], marks: readonly Mark[]): Text | undefined {
  const last = nodes.at(-1);
  const leaf = last?.object === 'text' ? last.leaves.at(-1) : undefined;
  if (last?.object !== 'text' || !leaf) return undefined;
  const start = sameMarks(leaf.marks, marks) ? startOfLastWord(leaf.text) : 0;
  const text = leaf.text.slice(start);
  if (text.trim() === '') return undefined;
  last.leaves.pop();
  if (start > 0) last.leaves.push({ ...leaf, text: leaf.text.slice(0, start) });
  if (last.leaves.length === 0) nodes.pop();
  return textNode(text, leaf.marks);
}

function startOfLastWord(text: string): number {
  let start = text.length;
  while (start > 0 && text.length - start < MAX_ANNOTATED && !/\s/.test(text.charAt(start - 1))) start -= 1;
  // Not between the halves of a surrogate pair.
  const code = text.charCodeAt(start);
  return code >= 0xdc00 && code <= 0xdfff ? start + 1 : start;
}

/** Whether an annotated text is usually written in a link, since only its last word would be taken from before a footnote. */
export const needsNoteLink = (nodes: readonly InlineNode[] | undefined): boolean =>
  /\S\s/.test(leafText(nodes));

/** Removes the link around an annotated text from before its footnote, if there is one that is written in the usual way. */
export function takeNoteLink(nodes: InlineNode[], label: string): Inline | undefined {
  const last = nodes.at(-1);
  if (last?.object !== 'inline' || last.type !== 'link') return undefined;
  const { ref, title, reference } = last.data ?? {};
  const target = asRef(ref);
  const isNote =
    target?.kind === 'anchor' && target.page === undefined && target.anchor === `${NOTE_ANCHOR}${label}`;
  const isPlain = title === undefined && reference === undefined && Object.keys(formatOf(last)).length === 0;
  // An annotation contains nothing but text.
  if (!isNote || !isPlain || !last.nodes?.every(({ object }) => object === 'text')) return undefined;
  nodes.pop();
  return last;
}
