/** How the blocks of a change request differ from those that it is compared with. */

import type { BlockNode } from '../../../routers/engine/document/document.ts';
import { type Html, html } from '../../http/html.ts';
import type { DiffBlock, RenderContext } from './render-context.ts';

const keyOf = (node: BlockNode): string => ('key' in node && node.key) || JSON.stringify(node);

/** Matches blocks by key. A removed block follows the block that it used to follow. */
export function compareBlocks(before: readonly BlockNode[], after: readonly BlockNode[]): DiffBlock[] {
  const old = new Map(before.map((node) => [keyOf(node), JSON.stringify(node)]));
  const remaining = new Set(after.map(keyOf));
  const removed = new Map<string, DiffBlock[]>();
  let following: DiffBlock[] = [];
  removed.set('', following);
  for (const node of before) {
    const key = keyOf(node);
    if (remaining.has(key)) {
      following = removed.get(key) ?? [];
      removed.set(key, following);
    } else following.push({ node, kind: 'removed' });
  }
  const blocks = after.flatMap((node): DiffBlock[] => {
    const key = keyOf(node);
    const previous = old.get(key);
    const current: DiffBlock =
      previous === undefined
        ? { node, kind: 'added' }
        : previous === JSON.stringify(node)
          ? { node }
          : { node, kind: 'changed' };
    return [current, ...(removed.get(key) ?? [])];
  });
  return [...(removed.get('') ?? []), ...blocks];
}

/** Renders blocks with a mark on those that differ. */
export const renderDiff = (blocks: readonly DiffBlock[], context: RenderContext): Html[] =>
  blocks.map(({ node, kind }) => {
    if (!kind) return html`${context.blocks([node])}`;
    const { isOutlined } = context;
    if (kind === 'removed') context.isOutlined = false;
    const rendered = context.blocks([node]);
    context.isOutlined = isOutlined;
    return html`<div class="difference ${kind}"><p class="mark-name">${context.texts.changeKinds[kind]}</p>${rendered}</div>\n`;
  });
