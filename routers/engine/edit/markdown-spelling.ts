/** Restores the spelling of a document that a client read as Markdown, changed and sent back. */

import type { Block, BlockNode, ContentRef, Data, Document, Format, Inline } from '../document/document.ts';
import { mapRefs } from '../document/readers.ts';
import { asRef, defaultHref } from '../document/refs.ts';
import { normalizeReference } from '../markdown/parse/parser.ts';
import { writeRaw } from '../markdown/parse/raw.ts';
import { sameTyped } from '../markdown/source/compare.ts';
import { fingerprintInline } from '../markdown/source/fingerprint.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { isList } from '../markdown/write/gaps.ts';
import { blockWriter } from '../markdown/write/serialize-document.ts';
import { sameJson } from '../store/canonical.ts';

/** Maximum nesting at which blocks are restored: the blocks of each level are serialized again. */
const MAX_LEVELS = 6;

type ResolveUrl = (href: string) => ContentRef | undefined;

/**
 * Returns `next`, which was parsed from Markdown and has the keys of `previous`, with unchanged blocks replaced by the
 * stored ones. They may differ because clients get Markdown with other links than the file it came from, which can change
 * its layout. A link that was not resolved, and is sent back as it was, stays as written even if it could be resolved now.
 *
 * @param resolve resolves the paths in `next`
 */
export function restoreMarkdownSpelling(previous: Document, next: Document, resolve?: ResolveUrl): Document {
  const stored = new Map<string, Block>();
  walkBlocks(previous.nodes, (block) => block.key !== undefined && stored.set(block.key, block));
  const writeStored = blockWriter(previous, undefined);
  const writeSent = blockWriter(next, undefined);

  const keptLabels = unchangedLabels(previous, next);

  function isUnchanged(before: Block, block: Block, parent: string): boolean {
    const sent = withShownUrls(block) as Block;
    const written = writeSent(sent, parent);
    const isSame = (stored: Block) => sameTyped(stored, sent) && writeStored(stored, parent) === written;
    const shown = shownNode(before, keptLabels) as Block;
    if (isSame(shown)) return true;
    const resolved = resolve && resolveUrls(shown, resolve);
    return resolved !== undefined && resolved !== shown && isSame(resolved);
  }

  const restoreAll = <Node extends BlockNode>(
    nodes: readonly Node[],
    parent: string,
    level: number,
  ): Node[] => nodes.map((node) => (node.object === 'block' ? (restore(node, parent, level) as Node) : node));

  function restore(block: Block, parent: string, level: number): Block {
    const before = stored.get(block.key ?? '');
    if (before?.type !== block.type || sameJson(before, block)) return block;
    if (isUnchanged(before, block, parent)) return withBlankLinesOf(before, block);
    return level < MAX_LEVELS ? restoreInside(before, block, level + 1) : block;
  }

  function restoreInside(before: Block, block: Block, level: number): Block {
    const { type, fragments } = block;
    const nodes = block.nodes && restoreInlines(before, block.nodes);
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
            : type === 'table'
              ? { ...entry, nodes: entry.nodes.map(restoreInCell) }
              : entry,
        ),
      }),
    };
  }

  /** Restores the links and images in a block of a cell, whose width may depend on how they are spelled. */
  function restoreInCell(block: Block): Block {
    const before = stored.get(block.key ?? '');
    return before?.type === block.type && block.nodes
      ? { ...block, nodes: restoreInlines(before, block.nodes) }
      : block;
  }

  /** Restores the unchanged links and images in an edited text that are spelled in their own way, each once and in order. */
  function restoreInlines(before: Block, nodes: readonly BlockNode[]): BlockNode[] {
    const spelled = Map.groupBy(spelledInlines(before), (inline) =>
      fingerprintInline(shownNode(inline, keptLabels) as Inline),
    );
    if (spelled.size === 0) return [...nodes];
    return nodes.map((node) =>
      node.object === 'inline' ? (spelled.get(fingerprintInline(node))?.shift() ?? node) : node,
    );
  }

  return { ...next, nodes: restoreAll(next.nodes, 'document', 0) };
}

/** The links and images in the text of a block that are written by reference, or otherwise than usual, such as with escapes. */
const spelledInlines = ({ nodes = [] }: Block): Inline[] =>
  nodes.flatMap((node) =>
    node.object === 'inline' && (node.data?.reference !== undefined || node.format !== undefined)
      ? [node]
      : [],
  );

/** The URLs of the definitions that two documents share, by label. */
function unchangedLabels(previous: Document, next: Document): Map<string, string> {
  const after = definitionsIn(next);
  const withoutRefs = ({ refs: _, ...data }: Data = {}): Data => data;
  const kept = [...definitionsIn(previous)].filter(([label, data]) =>
    sameJson(withoutRefs(data), withoutRefs(after.get(label))),
  );
  return new Map(kept.map(([label, { href }]) => [label, typeof href === 'string' ? href : '']));
}

function definitionsIn({ nodes }: Document): Map<string, Data> {
  const found = new Map<string, Data>();
  walkBlocks(nodes, ({ type, data }) => {
    if (type === 'markdown' && typeof data?.label === 'string' && !found.has(data.label))
      found.set(data.label, data);
  });
  return found;
}

/**
 * A node as in the Markdown for clients. A link by reference to a page or file is written there without its definition,
 * whose URL is a path; one whose definition has changed since is not the same.
 */
function shownNode(node: BlockNode, keptLabels: ReadonlyMap<string, string>): BlockNode {
  if (node.object === 'text') return node;
  const shown = withShownUrls(node, (inside) => shownNode(inside, keptLabels));
  const { reference, ...others } = node.data ?? {};
  const ref = asRef(others.ref);
  if (typeof reference !== 'object' || reference === null || !ref || !('label' in reference)) return shown;
  const url = keptLabels.get(normalizeReference(String(reference.label)));
  return url === undefined || url === defaultHref(ref) ? shown : ({ ...shown, data: others } as BlockNode);
}

/** A node with the URLs in its raw text written as those of its references. */
function withShownUrls(node: BlockNode, inside: (node: BlockNode) => BlockNode = withShownUrls): BlockNode {
  if (node.object === 'text') return node;
  const { data, nodes, fragments } = node;
  const isRaw = node.type === 'markdown' && data?.refs !== undefined;
  return {
    ...node,
    ...(isRaw && { data: { ...data, markdown: writeRaw(node, defaultHref) } }),
    ...(nodes && { nodes: (nodes as BlockNode[]).map((child) => inside(child)) }),
    ...(fragments && {
      fragments: fragments.map((entry) => ({ ...entry, nodes: entry.nodes.map((child) => inside(child)) })),
    }),
  } as BlockNode;
}

/** A block with its URLs resolved where that is possible. */
function resolveUrls(block: Block, resolve: ResolveUrl): Block {
  const around: Document = { object: 'document', data: { schemaVersion: 1 }, nodes: [block] };
  const { nodes } = mapRefs(around, (ref) => (ref.kind === 'url' ? (resolve(ref.url) ?? ref) : ref));
  return nodes[0] === block ? block : (withShownUrls(nodes[0] as Block) as Block);
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
