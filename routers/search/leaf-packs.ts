/** Packs of leaves: many leaves of a space in one row, so that the first search of a process reads few rows. */

import type { LeafColumns, StoredPage } from './leaves.ts';

/** Maximum number of leaves in a pack, so that parsing one takes a few milliseconds. */
export const MAX_PACKED = 1000;

/** Leaves by column, as stored. Lists of strings are joined by spaces: they are split much faster than arrays are parsed. */
export interface LeafPack {
  hashes: string;
  /** The number of pages in each leaf. Those of all leaves follow each other below. */
  counts: readonly number[];
  ids: string;
  /** The parents that are not in the pack. */
  otherParents: string;
  /** The index of the parent of each page in `ids`, or after these in `otherParents`; -1 for none. */
  parents: readonly number[];
  /** See {@link LeafColumns}. */
  numbers: readonly number[];
  special: readonly (readonly [index: number, page: StoredPage])[];
}

export function packLeaves(leaves: ReadonlyMap<string, LeafColumns>): LeafPack {
  const columns = [...leaves.values()];
  const ids = columns.flatMap((leaf) => leaf.ids);
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const otherParents: string[] = [];
  const indexOf = (id: string): number => {
    const known = indexes.get(id);
    if (known !== undefined) return known;
    const index = ids.length + otherParents.length;
    otherParents.push(id);
    indexes.set(id, index);
    return index;
  };
  const parents = columns.flatMap((leaf) =>
    leaf.parents.map((parent) => (parent === null ? -1 : indexOf(parent))),
  );
  const special: [number, StoredPage][] = [];
  let start = 0;
  for (const leaf of columns) {
    for (const [index, page] of leaf.special) special.push([start + index, page]);
    start += leaf.ids.length;
  }
  return {
    hashes: [...leaves.keys()].join(' '),
    counts: columns.map((leaf) => leaf.ids.length),
    ids: ids.join(' '),
    otherParents: otherParents.join(' '),
    parents,
    numbers: columns.flatMap((leaf) => leaf.numbers),
    special,
  };
}

/** The leaves in a pack, by their hashes. */
export function unpackLeaves(pack: LeafPack): Map<string, LeafColumns> {
  const hashes = pack.hashes.split(' ');
  const ids = pack.ids.split(' ');
  const known = [...ids, ...pack.otherParents.split(' ')];
  const parents = pack.parents.map((index) => known[index] ?? null);
  const leaves = new Map<string, LeafColumns>();
  let nextSpecial = 0;
  let start = 0;
  for (const [at, count] of pack.counts.entries()) {
    const end = start + count;
    const special = new Map<number, StoredPage>();
    for (; nextSpecial < pack.special.length; nextSpecial++) {
      const [index, page] = pack.special[nextSpecial] as LeafPack['special'][number];
      if (index >= end) break;
      special.set(index - start, page);
    }
    leaves.set(hashes[at] as string, {
      ids: ids.slice(start, end),
      parents: parents.slice(start, end),
      numbers: pack.numbers.slice(start, end),
      special,
    });
    start = end;
  }
  return leaves;
}
