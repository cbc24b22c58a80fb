/** Finds again how a document was spelled that a client read as Markdown, changed and sent back. */

import type { Block, BlockNode, Document, Format } from '../document/document.ts';
import { sameTyped } from '../markdown/source/compare.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { isList } from '../markdown/write/gaps.ts';
import { blockWriter } from '../markdown/write/serialize-document.ts';
import { sameJson } from '../store/canonical.ts';

/** How deep in each other blocks are looked for: each level is written once more. */
const MAX_LEVELS = 6;

/**
 * `next`, read from Markdown and with the keys of `previous`, where a block that was sent as it was answered is the stored
 * one again. Markdown is answered with other addresses than those of the file it came from, and so may be laid out
 * otherwise.
 */
export function restoreMarkdownSpelling(previous: Document, next: Document): Document {
  const stored = new Map<string, Block>();
  walkBlocks(previous.nodes, (block) => block.key !== undefined && stored.set(block.key, block));
  const writeStored = blockWriter(previous, undefined);
  const writeSent = blockWriter(next, undefined);

  const restoreAll = <Node extends BlockNode>(
    nodes: readonly Node[],
    parent: string,
    level: number,
  ): Node[] => nodes.map((node) => (node.object === 'block' ? (restore(node, parent, level) as Node) : node));

  function restore(block: Block, parent: string, level: number): Block {
    const before = stored.get(block.key ?? '');
    if (before?.type !== block.type || sameJson(before, block)) return block;
    if (sameTyped(before, block) && writeStored(before, parent) === writeSent(block, parent))
      return withBlankLinesOf(before, block);
    return level < MAX_LEVELS ? restoreInside(block, level + 1) : block;
  }

  function restoreInside(block: Block, level: number): Block {
    const { type, nodes, fragments } = block;
    // An item cannot be written without its list.
    const restoreNode = (node: BlockNode): BlockNode =>
      node.object !== 'block' || !node.nodes
        ? node
        : { ...node, nodes: restoreAll(node.nodes, 'list-item', level) };
    return {
      ...block,
      ...(nodes && { nodes: isList(block) ? nodes.map(restoreNode) : restoreAll(nodes, type, level) }),
      ...(fragments && {
        fragments: fragments.map((entry) =>
          entry.fragment === 'expandable-body'
            ? { ...entry, nodes: restoreAll(entry.nodes, entry.fragment, level) }
            : entry,
        ),
      }),
    };
  }

  return { ...next, nodes: restoreAll(next.nodes, 'document', 0) };
}

/** A stored block with the blank lines that were sent before it. */
function withBlankLinesOf(before: Block, { format: { before: gap, lead } = {} }: Block): Block {
  const { before: _, lead: __, ...others } = before.format ?? {};
  const format: Format = {
    ...others,
    ...(gap !== undefined && { before: gap }),
    ...(lead !== undefined && { lead }),
  };
  const { format: ___, ...block } = before;
  return Object.keys(format).length > 0 ? { ...block, format } : block;
}
