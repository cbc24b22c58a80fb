/**
 * Opening tags of conditions that do not make up a block: without an end in the same container, without an expression, nested too
 * deeply, or in capitals. Documents keep them as raw Markdown. What follows them was meant for some readers only.
 */

import type { Block, BlockNode } from '../document/document.ts';
import { stringIn } from '../markdown/nodes.ts';

/** The content of the tag if a block is an opening tag of a condition; undefined for other blocks. */
function openingOf({ type, data }: Block): string | undefined {
  const markdown = type === 'markdown' ? (stringIn(data, 'markdown') ?? '') : '';
  if (!markdown.startsWith('{%') || !markdown.endsWith('%}')) return undefined;
  const content = markdown.slice(2, -2).trim();
  return /^if\b/i.test(content) ? content : undefined;
}

export const isOpenCondition = (node: BlockNode): node is Block =>
  node.object === 'block' && openingOf(node) !== undefined;

/** The tag of a condition that does not make up a block, and the reason as one plain sentence; undefined for other blocks. */
export function openConditionProblem(block: Block): { tag: string; problem: string } | undefined {
  const content = openingOf(block);
  if (content === undefined) return undefined;
  const tag = stringIn(block.data, 'markdown') as string;
  if (!content.startsWith('if')) return { tag, problem: 'Template tags are written in lower case.' };
  if (content === 'if') return { tag, problem: 'It has no expression.' };
  return { tag, problem: 'There is no {% endif %} for it in the same block.' };
}
