import type { Block, BlockNode, Inline } from '../document/document.ts';

/** Visits every block in document order, those in fragments included. */
export function walkBlocks(blocks: readonly BlockNode[], visit: (block: Block) => void): void {
  walkNodes(blocks, (node) => node.object === 'block' && visit(node));
}

/** Visits every inline in document order, those in fragments included. */
export function walkInlines(nodes: readonly BlockNode[], visit: (inline: Inline) => void): void {
  walkNodes(nodes, (node) => node.object === 'inline' && visit(node));
}

/** Visits every block and inline in document order, those in fragments included. */
export function walkNodes(nodes: readonly BlockNode[], visit: (node: Block | Inline) => void): void {
  for (const node of nodes) {
    if (node.object === 'text') continue;
    visit(node);
    if (node.nodes) walkNodes(node.nodes, visit);
    if (node.fragments) for (const fragment of node.fragments) walkNodes(fragment.nodes, visit);
  }
}
