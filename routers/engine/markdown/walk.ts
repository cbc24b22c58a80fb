import type { Block, BlockNode, Fragment, Inline } from '../document/document.ts';

/** Visits every block in document order, those in fragments included. */
export function walkBlocks(blocks: readonly BlockNode[], visit: (block: Block) => void): void {
  for (const node of blocks) {
    if (node.object === 'block') visit(node);
    if (node.object === 'text') continue;
    walkBlocks(node.nodes ?? [], visit);
    for (const fragment of node.fragments ?? []) walkBlocks(fragment.nodes, visit);
  }
}

/** Visits every inline in document order, those in fragments included. */
export function walkInlines(nodes: readonly BlockNode[], visit: (inline: Inline) => void): void {
  for (const node of nodes) {
    if (node.object === 'text') continue;
    if (node.object === 'inline') visit(node);
    walkInlines(node.nodes ?? [], visit);
    for (const fragment of node.fragments ?? ([] as Fragment[])) walkInlines(fragment.nodes, visit);
  }
}
