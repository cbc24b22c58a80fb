import { type Json, sameJson } from './canonical.ts';
import { type ChildRef, type Entry, type MapNode, type MapRoot, readNodes } from './map-nodes.ts';
import type { ObjectReader } from './objects.ts';

/** The values of two maps for a key; undefined if a map does not have it. */
export type Difference = {
  readonly key: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
};

/**
 * Returns the keys whose values differ, in order. Equal nodes are never read, so the cost depends on the difference and not
 * on the size of the maps. Reads one batch per level.
 */
export async function diffMaps(reader: ObjectReader, before: MapRoot, after: MapRoot): Promise<Difference[]> {
  const left = new Map<string, Json>();
  const right = new Map<string, Json>();
  let leftNodes = before === null ? [] : [before];
  let rightNodes = after === null ? [] : [after];
  for (;;) {
    // Keys are unique in a map, so a node in both maps is the same part of both.
    const shared = new Set(leftNodes).intersection(new Set(rightNodes));
    const hashes = [...leftNodes, ...rightNodes].filter((hash) => !shared.has(hash));
    if (hashes.length === 0) break;
    const nodes = new Map(
      (await readNodes(reader, hashes)).map((node, index) => [hashes[index] as string, node]),
    );
    // The maps may differ in height: only nodes of the highest level are opened.
    const level = nodes.values().reduce((highest, node) => Math.max(highest, node.level), 0);
    const open = (side: string[], entries: Map<string, Json>) =>
      side
        .filter((hash) => !shared.has(hash))
        .flatMap((hash) => openNode(hash, nodes.get(hash) as MapNode, level, entries));
    leftNodes = open(leftNodes, left);
    rightNodes = open(rightNodes, right);
  }
  return compareEntries(left, right);
}

function openNode(hash: string, node: MapNode, level: number, entries: Map<string, Json>): string[] {
  if (node.level < level) return [hash];
  if (node.level > 0) return (node.items as readonly ChildRef[]).map((child) => child[1]);
  for (const [key, value] of node.items as readonly Entry[]) entries.set(key, value);
  return [];
}

function compareEntries(left: ReadonlyMap<string, Json>, right: ReadonlyMap<string, Json>): Difference[] {
  const keys = [...new Set(left.keys()).union(new Set(right.keys()))].sort();
  return keys
    .map((key) => ({ key, before: left.get(key), after: right.get(key) }))
    .filter(({ before, after }) => !sameJson(before, after));
}
