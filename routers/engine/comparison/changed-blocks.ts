import type { Block, BlockNode } from '../document/document.ts';
import { longestIncreasing } from '../longest-increasing.ts';
import { alignBlocks } from '../markdown/source/align-blocks.ts';
import { fingerprintBlocks } from '../markdown/source/fingerprint.ts';

/** A change of a block; a block that was both changed and moved is `changed`. */
export type BlockChange =
  | { type: 'added' | 'removed' | 'moved'; block: Block }
  | { type: 'changed'; before: Block; after: Block };

/**
 * Compares the top-level blocks of two versions of a document. Changes are in the order of the later version, with removed
 * blocks where they were. Ignores keys and Markdown spelling.
 */
export function changedBlocks(before: readonly BlockNode[], after: readonly BlockNode[]): BlockChange[] {
  const [old, current] = [before.filter(isBlock), after.filter(isBlock)];
  const [fingerprintsBefore, fingerprintsAfter] = [fingerprintBlocks(old), fingerprintBlocks(current)];
  const places = new Map(old.map((block, index) => [block, index]));
  const pairs = alignBlocks(old, current, fingerprintsBefore, fingerprintsAfter).map(
    ([left, right]) => [places.get(left) as number, right] as const,
  );
  const inOrder = new Set(longestIncreasing(pairs, ([place]) => place).map(([, block]) => block));
  const matches = new Map(pairs.map(([place, block]) => [block, place]));
  const kept = new Set(matches.values());

  const changes: BlockChange[] = [];
  let next = 0;
  const removeUpTo = (end: number) => {
    for (; next < end; next++)
      if (!kept.has(next)) changes.push({ type: 'removed', block: old[next] as Block });
  };
  for (const block of current) {
    const place = matches.get(block);
    const match = place === undefined ? undefined : old[place];
    if (place !== undefined && inOrder.has(block)) removeUpTo(place);
    if (!match) changes.push({ type: 'added', block });
    else if (fingerprintsBefore.get(match) !== fingerprintsAfter.get(block))
      changes.push({ type: 'changed', before: match, after: block });
    else if (!inOrder.has(block)) changes.push({ type: 'moved', block });
  }
  removeUpTo(old.length);
  return changes;
}

const isBlock = (node: BlockNode): node is Block => node.object === 'block';
