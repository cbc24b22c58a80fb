import type { Block } from '../document/document.ts';
import { asRef } from '../document/refs.ts';
import { truncate } from '../text.ts';
import { linkTo, pictureOf, targetOf, titleOf } from './inlines.ts';
import { type BlockContext, type BlockLayout, fragmentNodes, MAX_DEPTH } from './layout.ts';
import type { Node } from './nodes.ts';
import { breakable, cleanLine } from './text.ts';

/** Lays out a picture, or a reference to it if it is not available. */
export function picture(block: Block, layout: BlockLayout, context: BlockContext, align: unknown): Node[] {
  const data = block.data ?? {};
  const ref = asRef(data.ref);
  const file = pictureOf(ref, layout);
  const alt = typeof data.alt === 'string' ? truncate(cleanLine(data.alt), 500) : '';
  const caption = layout.layOut(fragmentNodes(block, 'caption'), { ...context, depth: MAX_DEPTH + 1 });
  if (file === undefined) {
    const link = linkTo(ref, layout);
    const title = [alt || titleOf(ref, layout) || layout.notices.picture];
    const address = ref?.kind === 'url' ? truncate(cleanLine(ref.url), 300) : '';
    const problem = ref && targetOf(ref, layout).problem;
    const detail = breakable([address, cleanLine(problem ?? '')].filter(Boolean).join(' · '));
    return [{ t: 'reference', icon: 'picture', ...link, title, detail }, ...caption];
  }
  const width = typeof data.width === 'number' && data.width > 0 ? data.width : null;
  return [
    {
      t: 'figure',
      picture: file,
      alt,
      width,
      caption,
      align: align === 'left' || align === 'right' ? align : 'center',
    },
  ];
}
