/** Captions of embeds and files as an attribute of their tag, as earlier exports of GitBook have them. */

import type { Block, Data } from '../document/document.ts';
import {
  formatOf,
  fragment,
  fragmentOf,
  leafText,
  paragraph,
  setFormat,
  stringIn,
  textNode,
  voidBlock,
} from './nodes.ts';

/** An embed or a file with the data of its tag, from which the caption is taken. */
export function withCaptionOf({ caption, ...data }: Data, type: string): Block {
  if (typeof caption !== 'string' || caption.trim() === '')
    return voidBlock(type, caption === undefined ? data : { ...data, caption });
  const made = voidBlock(type, data, [fragment('caption', [paragraph([textNode(caption)])])]);
  setFormat(made, 'caption', 'attribute');
  return made;
}

/** A block with the caption among its data, if it was read from there and still is a plain text. */
export function withCaptionAttribute(block: Block): Block {
  if (stringIn(formatOf(block), 'caption') !== 'attribute') return block;
  const [text, ...others] = fragmentOf(block, 'caption') ?? [];
  if (!text || others.length > 0 || text.type !== 'paragraph') return block;
  const isPlain = text.nodes?.every(
    (node) => node.object === 'text' && node.leaves.every(({ marks }) => marks.length === 0),
  );
  const caption = leafText(text.nodes);
  return isPlain && caption.trim() !== '' && !caption.includes('\n')
    ? { ...block, data: { ...block.data, caption } }
    : block;
}
