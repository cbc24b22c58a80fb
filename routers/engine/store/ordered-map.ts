/** Reads immutable ordered maps level by level, in one batch per level whatever the number of keys. */

import type { Json } from './canonical.ts';
import {
  type ChildRef,
  type Entry,
  isLeaf,
  lowerBound,
  type MapNode,
  type MapRoot,
  readNode,
  readNodes,
} from './map-nodes.ts';
import type { ObjectReader } from './objects.ts';

/** A range of keys: `>= from`, `> after` and `< to`; in descending order if `reverse`. */
export type Range = { from?: string; after?: string; to?: string; limit?: number; reverse?: boolean };

/** Returns the value of a key; undefined if the map does not have it. */
export async function getValue(reader: ObjectReader, root: MapRoot, key: string): Promise<Json | undefined> {
  for (let hash = root; hash !== null; ) {
    const node: MapNode = await readNode(reader, hash);
    const item = node.items[lowerBound(node.items, key)];
    if (item === undefined) return undefined;
    if (isLeaf(node)) return item[0] === key ? (item[1] as Json) : undefined;
    hash = (item as ChildRef)[1];
  }
  return undefined;
}

/** Returns the values of those keys that the map has. */
export async function getValues(
  reader: ObjectReader,
  root: MapRoot,
  keys: Iterable<string>,
): Promise<Map<string, Json>> {
  const found = new Map<string, Json>();
  let wanted = new Map<string, string[]>();
  const first = [...new Set(keys)];
  if (first.length === 1) {
    const [key] = first as [string];
    const value = await getValue(reader, root, key);
    if (value !== undefined) found.set(key, value);
    return found;
  }
  if (root !== null && first.length > 0) wanted.set(root, first);
  while (wanted.size > 0) {
    const nodes = await readNodes(reader, [...wanted.keys()]);
    const below = new Map<string, string[]>();
    let index = 0;
    for (const keysOfNode of wanted.values()) {
      const node = nodes[index++] as MapNode;
      for (const key of keysOfNode) {
        const item = node.items[lowerBound(node.items, key)];
        if (item === undefined) continue;
        if (node.level > 0) pushTo(below, (item as ChildRef)[1], key);
        else if (item[0] === key) found.set(key, item[1]);
      }
    }
    wanted = below;
  }
  return found;
}

function pushTo(groups: Map<string, string[]>, group: string, member: string): void {
  const members = groups.get(group);
  if (members) members.push(member);
  else groups.set(group, [member]);
}

/** Returns the entries of a range in the requested order. */
export async function scan(reader: ObjectReader, root: MapRoot, range: Range = {}): Promise<Entry[]> {
  const [entries] = await scanMany(reader, root, [range]);
  return entries as Entry[];
}

/** Returns the entries of several ranges, with as many batches as for one range. */
export async function scanMany(
  reader: ObjectReader,
  root: MapRoot,
  ranges: readonly Range[],
): Promise<Entry[][]> {
  if (root === null || ranges.length === 0) return ranges.map(() => []);
  let frontiers = ranges.map(() => [root]);
  for (;;) {
    const hashes = [...new Set(frontiers.flat())];
    const nodes = new Map(
      (await readNodes(reader, hashes)).map((node, index) => [hashes[index] as string, node]),
    );
    const levels = frontiers.map((frontier) => frontier.map((hash) => nodes.get(hash) as MapNode));
    if ([...nodes.values()].every(isLeaf)) {
      return levels.map((leaves, index) =>
        pickEntries(
          leaves.flatMap((leaf) => leaf.items as Entry[]),
          ranges[index] as Range,
        ),
      );
    }
    frontiers = levels.map((inner, index) =>
      pickChildren(
        inner.flatMap((node) => node.items as ChildRef[]),
        ranges[index] as Range,
      ),
    );
  }
}

function pickEntries(entries: readonly Entry[], { from, after, to, limit, reverse }: Range): Entry[] {
  const picked = entries.filter(
    ([key]) =>
      (from === undefined || key >= from) &&
      (after === undefined || key > after) &&
      (to === undefined || key < to),
  );
  if (reverse) picked.reverse();
  return limit === undefined ? picked : picked.slice(0, limit);
}

/** Returns the hashes of the children that may contain entries of the range, no more than needed for the limit. */
function pickChildren(children: readonly ChildRef[], { from, after, to, limit, reverse }: Range): string[] {
  const candidates = children.filter(([lastKey], index) => {
    const previous = children[index - 1]?.[0];
    return (
      (from === undefined || lastKey >= from) &&
      (after === undefined || lastKey > after) &&
      (to === undefined || previous === undefined || previous < to)
    );
  });
  if (reverse) candidates.reverse();
  // The first candidate may be mostly outside of the range: its entries do not count towards the limit.
  let certain = 0;
  const needed = candidates.findIndex(([, , count], index) => {
    if (index > 0) certain += count;
    return limit !== undefined && certain >= limit;
  });
  if (needed >= 0) candidates.length = needed + 1;
  if (reverse) candidates.reverse();
  return candidates.map(([, hash]) => hash);
}

/** The number of entries. */
export async function sizeOf(reader: ObjectReader, root: MapRoot): Promise<number> {
  if (root === null) return 0;
  const node = await readNode(reader, root);
  return isLeaf(node)
    ? node.items.length
    : (node.items as ChildRef[]).reduce((sum, [, , count]) => sum + count, 0);
}
