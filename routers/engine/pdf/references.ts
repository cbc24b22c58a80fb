import type { Block } from '../document/document.ts';
import { formatBytes } from '../document/localized.ts';
import { plainText } from '../document/readers.ts';
import { asRef } from '../document/refs.ts';
import { truncate } from '../text.ts';
import { linkTo, targetOf, titleOf } from './inlines.ts';
import { type BlockLayout, fragmentNodes } from './layout.ts';
import type { Node } from './nodes.ts';
import { breakable, cleanLine, cleanText } from './text.ts';

/** Maximum displayed length of an address. */
const MAX_ADDRESS = 300;

const captionOf = (block: Block): string => cleanLine(plainText(fragmentNodes(block, 'caption')));

/** Lays out a file as a link with its size and caption. */
export function layOutFile(block: Block, layout: BlockLayout): Node[] {
  const ref = asRef(block.data?.ref);
  const { size } = (ref && targetOf(ref, layout)) ?? {};
  const details = [size === undefined ? '' : formatBytes(size, layout.locale), captionOf(block)];
  const detail = breakable(details.filter(Boolean).join(' · '));
  return [{ t: 'reference', icon: 'file', ...linkTo(ref, layout), title: [titleOf(ref, layout)], detail }];
}

/** Lays out an embed as a link with its title, or else its caption, and its address. */
export function layOutEmbed(block: Block, layout: BlockLayout): Node[] {
  const url = block.data?.url;
  const ref = { kind: 'url', url: typeof url === 'string' ? cleanText(url) : '' } as const;
  const address = truncate(cleanLine(ref.url), MAX_ADDRESS);
  const title = layout.targets.get(`embed ${ref.url}`)?.title ?? captionOf(block);
  return [
    {
      t: 'reference',
      icon: 'link',
      ...linkTo(ref, layout),
      title: [breakable(cleanLine(title) || address)],
      detail: title ? breakable(address) : '',
    },
  ];
}

/** Lays out a reference to content, such as a page, as a link with its title. */
export function layOutContentRef({ data = {} }: Block, layout: BlockLayout): Node[] {
  const ref = asRef(data.ref);
  const detail = breakable(ref?.kind === 'url' ? truncate(cleanLine(ref.url), MAX_ADDRESS) : '');
  return [{ t: 'reference', icon: 'page', ...linkTo(ref, layout), title: [titleOf(ref, layout)], detail }];
}
