/** Updates ordered maps: a batch of changes rewrites only the runs that they affect, level by level. */

import type { Json } from './canonical.ts';
import {
  byKey,
  type ChildRef,
  cutIntoNodes,
  cutIntoRuns,
  type Entry,
  isLeaf,
  type MapRoot,
  readNode,
  readNodes,
} from './map-nodes.ts';
import type { ObjectBuffer } from './objects.ts';

type Item = Entry | ChildRef;

/** The new value of a key; undefined deletes it. */
type Change = readonly [key: string, value: Json | undefined];

/** Complete runs of one level, and the changes that affect them, in the order of keys. */
type Part = { level: number; items: readonly Item[]; changes: readonly Change[]; below: (Item | Part)[] };

/**
 * Applies changes to a map and returns its new root: the same entries always result in the same root. Deleting a missing
 * key has no effect. Reads one batch per level; new nodes are added to the buffer.
 */
export async function updateMap(
  buffer: ObjectBuffer,
  root: MapRoot,
  changes: ReadonlyMap<string, Json | undefined>,
): Promise<MapRoot> {
  const sorted = [...changes].sort(byKey);
  if (sorted.length === 0) return root;
  if (root === null) return build(buffer, 0, applyToEntries([], sorted));
  const node = await readNode(buffer, root);
  const top: Part = { level: node.level, items: node.items, changes: sorted, below: [] };
  for (let parts = [top]; parts.length > 0; ) parts = await descend(buffer, parts);
  return build(buffer, top.level, rewrite(buffer, top));
}

/** Splits parts of one level into unchanged children and parts of the level below, which are read in one batch. */
async function descend(buffer: ObjectBuffer, parts: readonly Part[]): Promise<Part[]> {
  const touched: { part: Part; children: ChildRef[] }[] = [];
  for (const part of parts) {
    if (part.level === 0) continue;
    for (const { children, changes } of matchRuns(part)) {
      if (changes.length === 0) {
        for (const child of children) part.below.push(child);
        continue;
      }
      const lower: Part = { level: part.level - 1, items: [], changes, below: [] };
      part.below.push(lower);
      touched.push({ part: lower, children });
    }
  }
  const nodes = await readNodes(
    buffer,
    touched.flatMap(({ children }) => children.map(([, hash]) => hash)),
  );
  let next = 0;
  for (const { part, children } of touched) {
    const own = nodes.slice(next, next + children.length);
    next += children.length;
    part.items = own.flatMap((node) => node.items as Item[]);
  }
  return touched.map(({ part }) => part);
}

/** Matches the runs of the level below with the changes that affect them; joins runs whose boundary key is deleted. */
function matchRuns(part: Part): { children: ChildRef[]; changes: Change[] }[] {
  const runs = cutIntoRuns(part.level - 1, part.items as readonly ChildRef[]);
  const matched: { children: ChildRef[]; changes: Change[] }[] = [];
  let next = 0;
  let joined = false;
  for (const [index, children] of runs.entries()) {
    const lastKey = (children.at(-1) as ChildRef)[0];
    const isLast = index === runs.length - 1;
    const start = next;
    while (next < part.changes.length && (isLast || (part.changes[next] as Change)[0] <= lastKey)) next++;
    const changes = part.changes.slice(start, next);
    const previous = matched.at(-1);
    if (joined && previous) {
      for (const child of children) previous.children.push(child);
      for (const change of changes) previous.changes.push(change);
    } else {
      matched.push({ children: [...children], changes });
    }
    const last = changes.at(-1);
    joined = last !== undefined && last[0] === lastKey && last[1] === undefined;
  }
  return matched;
}

/** Returns the items of a part after its changes; stores the nodes below it. */
function rewrite(buffer: ObjectBuffer, part: Part): Item[] {
  if (part.level === 0) return applyToEntries(part.items as readonly Entry[], part.changes);
  return part.below.flatMap((lower) =>
    'below' in lower ? cutIntoNodes(buffer, lower.level, rewrite(buffer, lower)) : [lower],
  );
}

function applyToEntries(entries: readonly Entry[], changes: readonly Change[]): Entry[] {
  const result: Entry[] = [];
  let next = 0;
  const applyNext = () => {
    const [key, value] = changes[next++] as Change;
    if (value !== undefined) result.push([key, value]);
  };
  for (const entry of entries) {
    while (next < changes.length && (changes[next] as Change)[0] < entry[0]) applyNext();
    if (changes[next]?.[0] === entry[0]) applyNext();
    else result.push(entry);
  }
  while (next < changes.length) applyNext();
  return result;
}

/** Builds the levels above these items, up to a single root node. */
async function build(buffer: ObjectBuffer, level: number, items: readonly Item[]): Promise<MapRoot> {
  if (items.length === 0) return null;
  if (level > 0 && items.length === 1) return lowestRoot(buffer, (items[0] as ChildRef)[1]);
  const nodes = cutIntoNodes(buffer, level, items);
  return nodes.length === 1 ? (nodes[0] as ChildRef)[1] : build(buffer, level + 1, nodes);
}

/** After deletions, the top node may have a single child: the root is the lowest node that contains all entries. */
async function lowestRoot(buffer: ObjectBuffer, root: string): Promise<string> {
  const node = await readNode(buffer, root);
  if (isLeaf(node) || node.items.length > 1) return root;
  return lowestRoot(buffer, (node.items[0] as ChildRef)[1]);
}
