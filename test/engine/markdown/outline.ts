import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';

/** The types of blocks other than paragraphs, those inside one in brackets. */
export const outlineOf = (blocks: readonly BlockNode[]): string =>
  blocks
    .filter((node): node is Block => node.object === 'block' && node.type !== 'paragraph')
    .map((block) => {
      const body = block.fragments?.find(({ fragment }) => fragment === 'expandable-body')?.nodes;
      const inside = outlineOf(body ?? block.nodes ?? []);
      return inside === '' ? block.type : `${block.type}[${inside}]`;
    })
    .join(' ');
