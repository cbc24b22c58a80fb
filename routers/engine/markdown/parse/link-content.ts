import type { InlineNode } from '../../document/document.ts';
import { appendText, distinctMarks, stringIn } from '../nodes.ts';
import { emojiOfCode } from './shortcodes.ts';

/**
 * The content of a link, which holds text and images: emoji become their characters. Undefined if there is anything
 * else in it.
 */
export function onlyLinkable(nodes: readonly InlineNode[]): InlineNode[] | undefined {
  if (!nodes.some((node) => node.object === 'inline')) return [...nodes];
  const result: InlineNode[] = [];
  for (const node of nodes) {
    if (node.object === 'text') for (const leaf of node.leaves) appendText(result, leaf.text, leaf.marks);
    else if (node.type === 'inline-image') result.push(node);
    else if (node.type === 'emoji')
      appendText(result, emojiOfCode(stringIn(node.data, 'code') ?? '') ?? '', [
        ...distinctMarks(node.data?.marks),
      ]);
    else return undefined;
  }
  return result;
}
