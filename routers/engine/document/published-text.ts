/** Texts and their marks as they are published. */

import type { Inline, Leaf, Mark, Text } from './document.ts';
import { COLORS } from './published-types.ts';

export const textOf = (text: string, marks: Mark[] = []): Text => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks }],
});

/** The marker of an annotation without text. */
export const annotationMarker = ({ data }: Inline): Text =>
  textOf(typeof data?.label === 'string' && data.label !== '' ? data.label : '*', [
    { object: 'mark', type: 'superscript' },
  ]);

export function publishedText(text: Text): Text {
  return text.leaves.every(({ marks }) => marks.length === 0)
    ? text
    : { ...text, leaves: text.leaves.map(publishedLeaf) };
}

function publishedLeaf(leaf: Leaf): Leaf {
  return leaf.marks.length === 0
    ? leaf
    : { object: 'leaf', text: leaf.text, marks: leaf.marks.map(publishedMark) };
}

/** A mark without its spelling, whose colors are among those that clients know. */
export function publishedMark({ type, data }: Mark): Mark {
  if (type !== 'color') return { object: 'mark', type };
  const color = (name: string) => COLORS.find((known) => known === data?.[name]) ?? 'default';
  return { object: 'mark', type, data: { text: color('text'), background: color('background') } };
}
