import { emojiCharacters } from '../emoji.ts';
import type { BlockNode } from './document.ts';
import { plainText } from './readers.ts';

/** The plain text of nodes, with emoji as characters rather than as names, for labels and summaries. */
export const shownText = (nodes: readonly BlockNode[]): string => plainText(nodes.map(withCharacters));

function withCharacters(node: BlockNode): BlockNode {
  if (node.object === 'text') return node;
  if (node.object === 'inline' && node.type === 'emoji') {
    const text = emojiCharacters(String(node.data?.code ?? ''));
    return { object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] };
  }
  return node.nodes ? ({ ...node, nodes: node.nodes.map(withCharacters) } as BlockNode) : node;
}
