/**
 * Opening tags of conditions that do not make up a block: without an end in the same container, without an expression, nested too
 * deeply, or in capitals. Documents keep them as raw Markdown. What follows them was meant for some readers only.
 */

import type { Block, BlockNode } from '../document/document.ts';
import { stringIn } from '../markdown/nodes.ts';

const OPENING = /^\{%\s*(if)\b\s*(.*?)\s*%\}$/is;

const matchOpening = ({ type, data }: Block): RegExpExecArray | null =>
  type === 'markdown' ? OPENING.exec(stringIn(data ?? {}, 'markdown') ?? '') : null;

export const isOpenCondition = (node: BlockNode): node is Block =>
  node.object === 'block' && matchOpening(node) !== null;

/** The tag of a condition that does not make up a block, and the reason as one plain sentence; undefined for other blocks. */
export function openConditionProblem(block: Block): { tag: string; problem: string } | undefined {
  const match = matchOpening(block);
  if (!match) return undefined;
  const [tag, name, expression] = match;
  if (name !== 'if') return { tag, problem: 'Template tags are written in lower case.' };
  if (expression === '') return { tag, problem: 'It has no expression.' };
  return { tag, problem: 'There is no {% endif %} for it in the same block.' };
}
