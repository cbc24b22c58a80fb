import type { BlockNode } from '../../../routers/engine/document/document.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { emojiOf } from './inlines.ts';

/** The plain text of nodes, with emoji as characters rather than as names, for labels and summaries. */
export const shownText = (nodes: readonly BlockNode[]): string => plainText(nodes.map(withCharacters));

function withCharacters(node: BlockNode): BlockNode {
  if (node.object === 'text') return node;
  if (node.object === 'inline' && node.type === 'emoji') {
    const text = emojiOf(String(node.data?.code ?? ''));
    return { object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] };
  }
  return node.nodes ? ({ ...node, nodes: node.nodes.map(withCharacters) } as BlockNode) : node;
}
