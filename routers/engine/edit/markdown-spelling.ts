/** Restores the spelling of a document that a client read as Markdown, changed and sent back. */

import type { Block, BlockNode, Document, Format } from '../document/document.ts';
import { sameTyped } from '../markdown/source/compare.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { isList } from '../markdown/write/gaps.ts';
import { blockWriter } from '../markdown/write/serialize-document.ts';
import { sameJson } from '../store/canonical.ts';

/** Maximum nesting at which blocks are restored: the blocks of each level are serialized again. */
const MAX_LEVELS = 6;

/**
 * Returns `next`, which was parsed from Markdown and has the keys of `previous`, with unchanged blocks replaced by the
 * stored ones. They may differ because clients get Markdown with other links than the file it came from, which can change
 * its layout.
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
    // A list item cannot be serialized without its list.
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

/** Returns the stored block with the blank lines that were sent before it. */
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
