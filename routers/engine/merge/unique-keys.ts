import type { Block, BlockNode, Document, Fragment } from '../document/document.ts';
import type { ConflictPlace, ConflictResolver } from './conflicts.ts';

/**
 * Makes the keys of blocks unique in a merged document. Two new blocks can have the same key, since it is derived from their
 * content: then the later one gets a new key. A block of the base can occur twice if the sides moved it to different
 * containers: then the blocks of one side are taken as a whole.
 */
export function withUniqueKeys(
  owner: Pick<ConflictPlace, 'page' | 'reusableContent'>,
  merged: Block[],
  versions: Readonly<Record<'base' | 'ours' | 'theirs', Document>>,
  resolve: ConflictResolver,
): Block[] {
  const counts = countKeys(merged);
  const repeated = [...counts].filter(([, count]) => count > 1).map(([key]) => key);
  if (repeated.length === 0) return merged;
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(({ nodes }) =>
    countKeys(nodes),
  );
  // Duplicates that a side already had are left alone.
  const isNew = (key: string) => (ours?.get(key) ?? 0) < 2 && (theirs?.get(key) ?? 0) < 2;
  if (repeated.some((key) => isNew(key) && base?.has(key))) {
    const { nodes: baseNodes } = versions.base;
    const lists = { base: baseNodes, ours: versions.ours.nodes, theirs: versions.theirs.nodes };
    return lists[resolve({ kind: 'document-blocks', ...owner, field: 'containers' }, lists)];
  }
  return renameRepeats(merged, new Set(repeated.filter(isNew)), counts);
}

function countKeys(blocks: readonly Block[], counts = new Map<string, number>()): Map<string, number> {
  for (const block of blocks) {
    if (block.key !== undefined) counts.set(block.key, (counts.get(block.key) ?? 0) + 1);
    countKeys(childBlocks(block), counts);
  }
  return counts;
}

function renameRepeats(blocks: Block[], repeated: ReadonlySet<string>, taken: Map<string, number>): Block[] {
  const seen = new Set<string>();
  const suffixes = new Map<string, number>();
  const freshKey = (key: string): string => {
    let suffix = suffixes.get(key) ?? 1;
    while (taken.has(`${key}-${suffix}`)) suffix++;
    taken.set(`${key}-${suffix}`, 1);
    suffixes.set(key, suffix + 1);
    return `${key}-${suffix}`;
  };
  const renameFragment = (fragment: Fragment): Fragment => ({
    ...fragment,
    nodes: fragment.nodes.map(rename),
  });
  const renameNode = (node: BlockNode): BlockNode => (node.object === 'block' ? rename(node) : node);
  const rename = (block: Block): Block => {
    const renamed = { ...block };
    if (block.key !== undefined && repeated.has(block.key)) {
      if (seen.has(block.key)) renamed.key = freshKey(block.key);
      seen.add(block.key);
    }
    if (block.nodes) renamed.nodes = block.nodes.map(renameNode);
    if (block.fragments) renamed.fragments = block.fragments.map(renameFragment);
    return renamed;
  };
  return blocks.map(rename);
}

function childBlocks({ nodes = [], fragments = [] }: Block): Block[] {
  return [
    ...nodes.filter((node) => node.object === 'block'),
    ...fragments.flatMap((fragment) => fragment.nodes),
  ];
}
