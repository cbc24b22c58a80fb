/** Links in place of nodes that refer to something outside, of which nothing but the address is known. */

import type { Block, BlockNode, Inline } from './document.ts';
import { textOf } from './published-text.ts';
import { asRef, labelOf } from './refs.ts';

/** Converts a file or drawing at a URL to a link or image; undefined for other blocks. */
export function externalFileAsLink({
  type,
  key,
  data = {},
  fragments: captions = [],
}: Block): Block | undefined {
  const ref = asRef(data.ref);
  if (ref?.kind !== 'url' || (type !== 'file' && type !== 'drawing')) return undefined;
  const caption = captions.flatMap(({ nodes }) => nodes.flatMap(({ nodes: inside = [] }) => inside));
  const keyed = key !== undefined && { key };
  if (type === 'drawing') {
    const image: Block = {
      object: 'block',
      type: 'image',
      data: { ref, alt: data.alt },
      fragments: captions,
    };
    return { object: 'block', type: 'images', ...keyed, data: {}, nodes: [image] };
  }
  return asLink({ ...keyed, data: { ref } }, labelOf(ref.url), caption);
}

/** A paragraph with a link to what a block refers to, and with a caption below it if there is one. */
export function asLink(
  { key, data = {} }: Pick<Block, 'key' | 'data'>,
  text: string,
  caption: readonly BlockNode[] = [],
): Block {
  const link: Inline = { object: 'inline', type: 'link', data: { ref: data.ref }, nodes: [textOf(text)] };
  const nodes = caption.length > 0 ? [link, textOf('\n'), ...caption] : [link];
  return { object: 'block', type: 'paragraph', ...(key !== undefined && { key }), nodes };
}

/** Converts a mention of a URL to a link with its text, since the title of such a target is not known; undefined for others. */
export function externalMentionAsLink({ type, key, data = {} }: Inline): Inline | undefined {
  const ref = asRef(data.ref);
  const { text } = data;
  if (type !== 'mention' || ref?.kind !== 'url' || typeof text !== 'string' || text === '') return undefined;
  return {
    object: 'inline',
    type: 'link',
    ...(key !== undefined && { key }),
    data: { ref },
    nodes: [textOf(text)],
  };
}
