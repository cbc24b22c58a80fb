/**
 * The nodes of an ordered map (a prolly tree). A leaf contains entries, and an inner node contains references to the nodes of
 * the level below, both in the order of their keys (by UTF-16 code unit, which is byte order for ids and positions).
 *
 * Whether a node ends after a key depends only on a hash of the key, so that the same entries result in the same nodes
 * whatever the history of edits: equal maps have equal hashes, and comparing two maps skips what they share.
 */

import type { Json } from './canonical.ts';
import { type ObjectBuffer, type ObjectReader, readObjects } from './objects.ts';

/** Hash of the root node of a map; the empty map is null. */
export type MapRoot = string | null;

export type Entry = readonly [key: string, value: Json];

/** A reference to a child node: its last key, its hash and the number of entries below it. */
export type ChildRef = readonly [lastKey: string, hash: string, count: number];

export type MapNode = LeafNode | InnerNode;
type LeafNode = { readonly level: 0; readonly items: readonly Entry[] };
type InnerNode = { readonly level: number; readonly items: readonly ChildRef[] };

/** Number of zero bits of a key's hash that end a leaf (1 in 16 keys), and an inner node (1 in 32). */
const LEAF_BITS = 4;
const INNER_BITS = 5;

/** Maximum number of items of a node, four times the average: see {@link cutIntoNodes}. */
const maxItems = (level: number): number => 4 << (level === 0 ? LEAF_BITS : INNER_BITS);

/** The number of levels, from the leaves up, at which this key ends a node. */
export function rankOf(key: string): number {
  const zeros = trailingZeros(hashKey(key));
  return zeros < LEAF_BITS ? 0 : 1 + Math.floor((zeros - LEAF_BITS) / INNER_BITS);
}

function trailingZeros(word: number): number {
  return word === 0 ? 32 : 31 - Math.clz32(word & -word);
}

/**
 * FNV-1a with the finalizer of MurmurHash3: it only needs a good distribution, since {@link cutIntoNodes} handles
 * hostile keys.
 */
function hashKey(key: string): number {
  let word = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) word = Math.imul(word ^ key.charCodeAt(i), 0x01000193);
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

/**
 * Splits the items of a level into runs, each ending with a key that ends a node (except possibly the last run).
 * A run is the unit of rewriting: its nodes depend on nothing outside it.
 */
export function cutIntoRuns<Item extends Entry | ChildRef>(level: number, items: readonly Item[]): Item[][] {
  const runs: Item[][] = [];
  let run: Item[] = [];
  for (const item of items) {
    run.push(item);
    if (rankOf(item[0]) > level) {
      runs.push(run);
      run = [];
    }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/**
 * Stores the items of complete runs as nodes and returns references to them. A run that is too long for a node, which is
 * possible with chosen keys, is split evenly: so the maximum applies to any keys, and nodes depend only on the entries.
 */
export function cutIntoNodes(
  buffer: ObjectBuffer,
  level: number,
  items: readonly (Entry | ChildRef)[],
): ChildRef[] {
  const nodes: ChildRef[] = [];
  for (const run of cutIntoRuns(level, items)) {
    const pieces = Math.ceil(run.length / maxItems(level));
    for (let piece = 0; piece < pieces; piece++) {
      const start = Math.floor((piece * run.length) / pieces);
      const end = Math.floor(((piece + 1) * run.length) / pieces);
      nodes.push(putNode(buffer, level, run.slice(start, end)));
    }
  }
  return nodes;
}

function putNode(buffer: ObjectBuffer, level: number, items: readonly (Entry | ChildRef)[]): ChildRef {
  const last = items.at(-1) as Entry | ChildRef;
  const count = level === 0 ? items.length : (items as ChildRef[]).reduce((sum, child) => sum + child[2], 0);
  return [last[0], buffer.put('map', { level, items }), count];
}

/** Reads nodes in one batch, in the order of the hashes. */
export async function readNodes(reader: ObjectReader, hashes: readonly string[]): Promise<MapNode[]> {
  const bodies = await readObjects(reader, 'map', hashes);
  return hashes.map((hash) => bodies.get(hash) as MapNode);
}

export async function readNode(reader: ObjectReader, hash: string): Promise<MapNode> {
  const [node] = await readNodes(reader, [hash]);
  return node as MapNode;
}

export const isLeaf = (node: MapNode): node is LeafNode => node.level === 0;

/**
 * Returns the index of the first item whose key is greater than or equal to this one; the number of items if there is
 * none.
 */
export function lowerBound(items: readonly (Entry | ChildRef)[], key: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as Entry | ChildRef)[0] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const byKey = (a: { readonly 0: string }, b: { readonly 0: string }): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
