import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { batchingReader, objectReader } from '../branches/objects.operation.ts';
import { type SearchedRecord, searchedPage } from '../engine/search/inverted.ts';
import { type ChildRef, isLeaf, type MapRoot, readNodes } from '../engine/store/map-nodes.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import { readRoot } from '../engine/store/records.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import {
  type ComputedSource,
  type DocumentRow,
  type Leaf,
  leafOf,
  partsByKey,
  type Restriction,
  restrictionsIn,
  reusableContentsIn,
  rowOf,
  type StoredPage,
  storedPages,
  withIncluded,
} from './leaves.ts';

/** Approximate bytes of leaves in memory: those of 100,000 pages are about 25 MB. */
const LEAF_BYTES = 32 * 1024 * 1024;
/** The same of the rows of documents that are looked through: those of 100,000 pages are about 7 MB. */
const ROW_BYTES = 40 * 1024 * 1024;
/** The same of the lists of leaves of maps, and of the guards of the pages in them. */
const MAP_BYTES = 12 * 1024 * 1024;

/** Leaves that are not indexed yet and are looked up all the same; more are left to the job that indexes them. */
const MAX_UNINDEXED = 64;

/** Leaves read by one statement, and the statements that run beside each other: the database works while leaves are taken apart. */
const BATCH = 500;
const BESIDE = 2;

/** Nothing of them changes within a generation of the index. */
const leafCache = new LRUCache<string, Leaf>({ maxSize: LEAF_BYTES });
const searchedCache = new LRUCache<string, SearchedMap>({ maxSize: ROW_BYTES });
const mapCache = new LRUCache<string, readonly string[]>({ maxSize: MAP_BYTES / 2 });
const restrictionCache = new LRUCache<string, ReadonlyMap<string, Restriction>>({ maxSize: MAP_BYTES / 2 });

/** The leaves of a map of pages, by their hashes in order. */
async function leafHashes(reader: ObjectReader, map: MapRoot): Promise<readonly string[]> {
  if (map === null) return [];
  const known = mapCache.get(map);
  if (known) return known;
  let level = [map];
  // The leaves themselves are not read: the level of the nodes above them tells that they are leaves.
  for (let above = Number.POSITIVE_INFINITY; above > 1; ) {
    const nodes = await readNodes(reader, level);
    const [first] = nodes;
    if (!first || isLeaf(first)) break;
    // All nodes of a level are of one kind.
    above = first.level;
    level = nodes.flatMap((node) => (node.items as readonly ChildRef[]).map((child) => child[1]));
  }
  mapCache.set(map, level, { size: 200 + level.length * 90 });
  return level;
}

/** The leaves of all that is indexed of some content, by their hashes. */
export async function indexedLeaves(db: Db, root: string): Promise<string[]> {
  const reader = objectReader(db);
  const { pages, reusableContents } = await readRoot(reader, root);
  return [...(await leafHashes(reader, pages)), ...(await leafHashes(reader, reusableContents))];
}

const readRows = statement((db, organization: string, reading: string, hashes: string[]) =>
  db
    .selectFrom('search_leaf')
    .select(['hash', 'pages'])
    .where('organization_id', '=', organization)
    .where('language', '=', reading)
    .where('hash', '=', sqlAny(hashes)),
);

/** The pages of a space, ready to be searched. */
export interface SearchedMap {
  row: DocumentRow;
  /** What each page of the row is below. */
  parents: readonly (string | null)[];
  restrictions: ReadonlyMap<string, Restriction>;
  /** Its computed pages. */
  computed: readonly ComputedSource[];
}

/** What a space is searched by: the maps of its pages and of its reusable contents, read in its language. */
interface MapId {
  organization: string;
  map: MapRoot;
  contents: MapRoot;
  reading: string;
  /** Of the index. */
  generation: number;
}

/**
 * The pages of spaces as they are now. Leaves that the index does not have yet are looked up in the content, if they are
 * few, so that an edit takes nothing away until it is indexed.
 */
export async function readMaps(db: Db, ids: readonly MapId[]): Promise<SearchedMap[]> {
  const known = ids.map((id) => (id.map === null ? undefined : searchedCache.get(keyOfMap(id))));
  const assembled = await assemble(
    db,
    ids.filter((_, index) => !known[index]),
  );
  return known.map((map) => map ?? (assembled.shift() as SearchedMap));
}

async function assemble(db: Db, ids: readonly MapId[]): Promise<SearchedMap[]> {
  const reader = batchingReader(db);
  const hashes = await Promise.all(
    ids.map(({ map, contents }) =>
      Promise.all([leafHashes(reader, map), leafHashes(reader, contents)] as const),
    ),
  );
  /** What is known of leaves, by the spaces that are read alike. */
  const groups = new Map<string, { id: MapId; found: Map<string, Leaf>; missing: Set<string> }>();
  const groupOf = (id: MapId) => {
    const known = groups.get(keyOf(id, ''));
    if (known) return known;
    const group = { id, found: new Map<string, Leaf>(), missing: new Set<string>() };
    groups.set(keyOf(id, ''), group);
    return group;
  };
  for (const [index, id] of ids.entries()) {
    const { found, missing } = groupOf(id);
    for (const hash of (hashes[index] ?? []).flat()) {
      if (found.has(hash)) continue;
      const leaf = leafCache.get(keyOf(id, hash));
      if (leaf) found.set(hash, leaf);
      else missing.add(hash);
    }
  }
  const unindexed = new Set<string>();
  for (const { id, found, missing } of groups.values()) {
    const indexed = await readLeaves(db, id, [...missing]);
    for (const [hash, leaf] of indexed) found.set(hash, leaf);
    const left = [...missing].filter((hash) => !indexed.has(hash));
    for (const hash of left) unindexed.add(hash);
    for (const [hash, leaf] of await readUnindexed(db, id, left)) found.set(hash, leaf);
  }
  const maps: SearchedMap[] = [];
  for (const [index, id] of ids.entries()) {
    const [own = [], inContents = []] = hashes[index] ?? [];
    const { found } = groupOf(id);
    const leavesOf = (some: readonly string[]) => some.flatMap((hash) => found.get(hash) ?? []);
    const contents = reusableContentsIn(leavesOf(inContents));
    const leaves = leavesOf(own).map((leaf) => withIncluded(leaf, contents));
    const map = {
      ...rowOf(leaves),
      restrictions: await restrictionsOf(id, leaves, leaves.length === own.length),
      computed: leaves.flatMap(({ computed }) => computed),
    };
    maps.push(map);
    await setImmediate();
    const isIndexed = unindexed.size === 0 || ![...own, ...inContents].some((hash) => unindexed.has(hash));
    if (id.map === null || !isIndexed) continue;
    searchedCache.set(keyOfMap(id), map, { size: 400 + bytesOfRow(map.row) });
  }
  return maps;
}

/** About how many bytes of memory a row takes, with the ids of its pages. */
const bytesOfRow = ({ numbers, pages, conditions }: DocumentRow): number =>
  numbers.length * 8 + pages.length * 60 + conditions.size * 50;

/** The key of what the index has of a leaf, or of a map of pages. */
const keyOf = ({ organization, reading, generation }: MapId, hash: string) =>
  `${organization} ${reading} ${generation} ${hash}`;

/** The key of what is searched of a space. */
const keyOfMap = (id: MapId) => keyOf(id, `${id.map} ${id.contents}`);

async function restrictionsOf(
  { map }: MapId,
  leaves: readonly Leaf[],
  isWhole: boolean,
): Promise<ReadonlyMap<string, Restriction>> {
  const known = map === null ? undefined : restrictionCache.get(map);
  if (known) return known;
  const restrictions = await restrictionsIn(leaves, isWhole, setImmediate);
  if (map !== null && isWhole)
    restrictionCache.set(map, restrictions, { size: 100 + restrictions.size * 300 });
  return restrictions;
}

/** What the index has of leaves. */
async function readLeaves(db: Db, id: MapId, hashes: readonly string[]): Promise<Map<string, Leaf>> {
  const { organization, reading } = id;
  const found = new Map<string, Leaf>();
  let next = 0;
  const readSome = async () => {
    while (next < hashes.length) {
      const batch = hashes.slice(next, next + BATCH);
      next += BATCH;
      for (const { hash, pages } of await readRows(db, organization, reading, batch)) {
        const leaf = leafOf(pages as StoredPage[]);
        leafCache.set(keyOf(id, hash), leaf, { size: leaf.bytes });
        found.set(hash, leaf);
      }
    }
  };
  await Promise.all(Array.from({ length: BESIDE }, readSome));
  return found;
}

/** The same of leaves that it does not have yet. They are not kept: the job is about to index the pages that have no document yet. */
async function readUnindexed(
  db: Db,
  { organization, reading }: MapId,
  hashes: readonly string[],
): Promise<Map<string, Leaf>> {
  if (hashes.length === 0) return new Map();
  const leaves = await readLeafRecords(db, hashes.slice(0, MAX_UNINDEXED));
  const keys = [...leaves.values()].flat().flatMap((page) => searchedPage(page, reading)?.key ?? []);
  const parts = partsByKey(await readDocumentsByKey(db, organization, keys));
  return new Map([...leaves].map(([hash, records]) => [hash, leafOf(storedPages(records, reading, parts))]));
}

/** The pages or reusable contents in each of some leaves. */
export async function readLeafRecords(
  db: Db,
  hashes: readonly string[],
): Promise<Map<string, SearchedRecord[]>> {
  const nodes = await readNodes(objectReader(db), hashes);
  return new Map(
    nodes.map((node, index) => [
      hashes[index] as string,
      node.items.map((entry) => entry[1] as SearchedRecord),
    ]),
  );
}

/** The documents that an index has of some pages. */
export const readDocumentsByKey = (db: Db, organization: string, keys: readonly string[]) =>
  db
    .selectFrom('search_document')
    .select(['key', 'part', 'number', 'conditions', 'includes'])
    .where('organization_id', '=', organization)
    .where('key', '=', sqlAny(keys))
    .execute();
