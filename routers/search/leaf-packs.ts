/**
 * Packs of leaves: many leaves of a map in one row, so that the first search of a process reads few rows. Their columns are used
 * as they are stored, because creating objects for the pages of a large space takes longer than searching it.
 */

import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { MapRoot } from '../engine/store/map-nodes.ts';
import { type Ids, type Indexed, readIds, type StoredIds, storeIds } from './id-lists.ts';
import { type Leaf, type LeafColumns, leafOf, type StoredPage } from './leaves.ts';

/** Maximum number of leaves in a pack, so that reading one takes a few milliseconds. */
export const MAX_PACKED = 1000;

type Special = readonly [index: number, page: StoredPage];

/** What a pack begins with, as JSON. The parents and the numbers of the pages follow as integers. */
interface PackHeader {
  /** The hash of the map that consists of the leaves of this pack and, if there are several, of the others. */
  map: string;
  hashes: StoredIds;
  /** The number of pages in each leaf. */
  counts: readonly number[];
  ids: StoredIds;
  /** The parents that are not in the pack. */
  otherParents: StoredIds;
  /** See {@link LeafColumns}. */
  special: readonly Special[];
}

const INTEGER_BYTES = 4;
/** How much is decompressed at once; with the default, a pack would be copied together from dozens of pieces. */
const CHUNK_BYTES = 512 * 1024;

/** Approximate memory usage of a leaf apart from its pages, and of a special page, in bytes. */
const LEAF_BYTES = 100;
const SPECIAL_BYTES = 400;

const deflate = promisify(deflateRaw);

/**
 * Packs leaves of one map, which must be in order. Compressed: the header with its length, then for each page the index of its
 * parent in `ids`, or after these in `otherParents`, or -1; then its number minus that of the page before it.
 */
export async function packLeaves(leaves: ReadonlyMap<string, LeafColumns>, map: string): Promise<Buffer> {
  const columns = [...leaves.values()];
  const ids = columns.flatMap((leaf) => valuesOf(leaf.ids));
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
    valuesOf(leaf.parents).map((parent) => (parent === null ? -1 : indexOf(parent))),
  );
  const numbers = columns.flatMap((leaf) => [...leaf.numbers]);
  const special: Special[] = [];
  let start = 0;
  for (const leaf of columns) {
    for (const [index, page] of leaf.special) special.push([start + index, page]);
    start += leaf.ids.length;
  }
  const header: PackHeader = {
    map,
    hashes: storeIds([...leaves.keys()]),
    counts: columns.map((leaf) => leaf.ids.length),
    ids: storeIds(ids),
    otherParents: storeIds(otherParents),
    special,
  };
  const json = Buffer.from(JSON.stringify(header));
  const steps = numbers.map((number, index) => number - (numbers[index - 1] ?? 0));
  const integers = Int32Array.from([...parents, ...steps]);
  return deflate(Buffer.concat([bytesOf(Int32Array.of(json.length)), json, bytesOf(integers)]));
}

/** Replaces each integer with the sum of those up to it. */
function addUp(integers: Int32Array): void {
  let sum = 0;
  for (let index = 0; index < integers.length; index++) {
    sum += integers[index] as number;
    integers[index] = sum;
  }
}

const bytesOf = ({ buffer }: Int32Array): Uint8Array => new Uint8Array(buffer);

const valuesOf = <Value>(list: Indexed<Value>): Value[] =>
  Array.from({ length: list.length }, (_, index) => list.at(index) as Value);

export class LeafPack {
  readonly map: string;
  readonly hashes: Ids;
  /** Approximate memory usage, in bytes. */
  readonly bytes: number;
  /** The index of the first page of each leaf, and the number of all pages. */
  readonly #starts: Int32Array;
  readonly #ids: Ids;
  readonly #otherParents: Ids;
  readonly #parents: Int32Array;
  readonly #numbers: Int32Array;
  readonly #special: readonly Special[];
  #all: Leaf | undefined;

  constructor(compressed: Uint8Array) {
    const bytes = inflateRawSync(compressed, { chunkSize: CHUNK_BYTES });
    const end = INTEGER_BYTES + bytes.readInt32LE();
    const header = JSON.parse(bytes.toString('utf8', INTEGER_BYTES, end)) as PackHeader;
    // Copied, because integers have to be aligned.
    const integers = new Int32Array(new Uint8Array(bytes.subarray(end)).buffer);
    const pages = integers.length / 2;
    this.map = header.map;
    this.hashes = readIds(header.hashes);
    this.bytes = bytes.length + this.hashes.length * LEAF_BYTES + header.special.length * SPECIAL_BYTES;
    this.#starts = Int32Array.of(0, ...header.counts);
    addUp(this.#starts);
    this.#ids = readIds(header.ids);
    this.#otherParents = readIds(header.otherParents);
    this.#parents = integers.subarray(0, pages);
    this.#numbers = integers.subarray(pages);
    addUp(this.#numbers);
    this.#special = header.special;
  }

  /** All leaves together, as one. */
  get all(): Leaf {
    this.#all ??= leafOf(this.columns(0, this.hashes.length));
    return this.#all;
  }

  /** Consecutive leaves together, as one. */
  columns(from: number, to: number): LeafColumns {
    const start = this.#starts[from] as number;
    const end = this.#starts[to] as number;
    return {
      ids: this.#ids.slice(start, end),
      parents: { length: end - start, at: (index) => this.#parentAt(start + index) },
      numbers: this.#numbers.subarray(start, end),
      special: this.#specialIn(start, end),
    };
  }

  #parentAt(page: number): string | null | undefined {
    const index = this.#parents[page];
    if (index === undefined || index < 0) return index === undefined ? undefined : null;
    return index < this.#ids.length ? this.#ids.at(index) : this.#otherParents.at(index - this.#ids.length);
  }

  #specialIn(start: number, end: number): Map<number, StoredPage> {
    let low = 0;
    let high = this.#special.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#special[middle] as Special)[0] < start) low = middle + 1;
      else high = middle;
    }
    const special = new Map<number, StoredPage>();
    for (let at = low; at < this.#special.length; at++) {
      const [index, page] = this.#special[at] as Special;
      if (index >= end) break;
      special.set(index - start, page);
    }
    return special;
  }
}

/** The packs of a space. Content that changed since they were written is missing from them, but they are never wrong. */
export class PackedSpace {
  readonly #packs: readonly LeafPack[];
  #places: Map<string, { pack: LeafPack; at: number }> | undefined;

  constructor(packs: readonly LeafPack[]) {
    this.#packs = packs;
  }

  /** Approximate memory usage, in bytes. */
  get bytes(): number {
    return this.#packs.reduce((sum, { bytes }) => sum + bytes, 200);
  }

  /** The leaves of a map, if the packs have all of them. */
  leavesOf(map: MapRoot): Leaf[] | undefined {
    const packs = this.#packs.filter((pack) => pack.map === map);
    return packs.length > 0 ? packs.map(({ all }) => all) : undefined;
  }

  has(hash: string): boolean {
    return this.#placeOf(hash) !== undefined;
  }

  /** The leaves with some hashes: those that follow each other in a pack as one, others from elsewhere, if they are known. */
  collect(hashes: readonly string[], others: ReadonlyMap<string, Leaf>): Leaf[] {
    const leaves: Leaf[] = [];
    let run: { pack: LeafPack; from: number; to: number } | undefined;
    const endRun = () => {
      if (run) leaves.push(leafOf(run.pack.columns(run.from, run.to)));
      run = undefined;
    };
    for (const hash of hashes) {
      const place = this.#placeOf(hash);
      if (place && run?.pack === place.pack && run.to === place.at) {
        run.to++;
        continue;
      }
      endRun();
      if (place) run = { pack: place.pack, from: place.at, to: place.at + 1 };
      const other = place ? undefined : others.get(hash);
      if (other) leaves.push(other);
    }
    endRun();
    return leaves;
  }

  #placeOf(hash: string) {
    if (!this.#places) {
      this.#places = new Map();
      for (const pack of this.#packs)
        for (let at = 0; at < pack.hashes.length; at++)
          this.#places.set(pack.hashes.at(at) as string, { pack, at });
    }
    return this.#places.get(hash);
  }
}
