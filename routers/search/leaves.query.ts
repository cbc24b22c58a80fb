import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { batchingReader, objectReader } from '../branches/objects.operation.ts';
import { type IndexablePage, type IndexableRecord, indexablePage } from '../engine/search/inverted.ts';
import { type ChildRef, isLeaf, type MapRoot, readNodes } from '../engine/store/map-nodes.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import { readRoot } from '../engine/store/records.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import { readPacks } from './leaf-packs.query.ts';
import type { PackedSpace } from './leaf-packs.ts';
import {
  type ComputedSource,
  columnsOf,
  type DocumentRow,
  type Leaf,
  type LeafColumns,
  leafOf,
  partsByKey,
  reusableContentsIn,
  rowOf,
  type StoredPage,
  storedPages,
  withIncluded,
} from './leaves.ts';
import { limitedDocuments, type Restriction, restrictionsIn } from './restrictions.ts';
import type { IndexPages } from './unindexed-pages.query.ts';

/** Approximate size of the cache of leaves that are not packed, in bytes. */
const LEAF_BYTES = 16 * 1024 * 1024;
/** The same for the rows of documents that searches scan. Those of 100,000 pages take about 7 MB. */
const ROW_BYTES = 40 * 1024 * 1024;
/** The same for the lists of the leaves of maps, and for the restrictions of their pages. */
const MAP_BYTES = 12 * 1024 * 1024;

/** Maximum number of unindexed leaves that a search reads from the content; further ones are not found until they are indexed. */
const MAX_UNINDEXED = 64;

/** How many leaves a statement reads, and how many statements run at once, so that the database works while leaves are parsed. */
const BATCH = 500;
const CONCURRENCY = 2;

/** Their content does not change within a generation of the index. */
const leafCache = new LRUCache<string, Leaf>({ maxSize: LEAF_BYTES });
const searchedMapCache = new LRUCache<string, SearchedMap>({ maxSize: ROW_BYTES });
const mapCache = new LRUCache<string, readonly string[]>({ maxSize: MAP_BYTES / 2 });
const restrictionCache = new LRUCache<string, ReadonlyMap<string, Restriction>>({ maxSize: MAP_BYTES / 2 });

/** The hashes of the leaves of a map of pages, in order. */
export async function readLeafHashes(reader: ObjectReader, map: MapRoot): Promise<readonly string[]> {
  if (map === null) return [];
  const known = mapCache.get(map);
  if (known) return known;
  let level = [map];
  // The leaves are not read: the level of their parents already shows that they are leaves.
  for (let above = Number.POSITIVE_INFINITY; above > 1; ) {
    const nodes = await readNodes(reader, level);
    const [first] = nodes;
    if (!first || isLeaf(first)) break;
    // All nodes on a level are of the same kind.
    above = first.level;
    level = nodes.flatMap((node) => (node.items as readonly ChildRef[]).map((child) => child[1]));
  }
  mapCache.set(map, level, { size: 200 + level.length * 90 });
  return level;
}

/** The hashes of the leaves of everything in some content that is indexed: its pages and reusable contents. */
export async function readIndexableHashes(db: Db, root: string): Promise<string[]> {
  const reader = objectReader(db);
  const { pages, reusableContents } = await readRoot(reader, root);
  return [...(await readLeafHashes(reader, pages)), ...(await readLeafHashes(reader, reusableContents))];
}

const readLeafRows = statement((db, organization: string, indexKey: string, hashes: string[]) =>
  db
    .selectFrom('search_leaf')
    .select(['hash', 'pages'])
    .where('organization_id', '=', organization)
    .where('language', '=', indexKey)
    .where('hash', '=', sqlAny(hashes)),
);

/** Reads leaves from the index, by their hashes; those that are not indexed are left out. */
export async function readStoredLeaves(
  db: Db,
  organization: string,
  indexKey: string,
  hashes: readonly string[],
): Promise<Map<string, LeafColumns>> {
  const rows = await readLeafRows(db, organization, indexKey, [...hashes]);
  return new Map(rows.map(({ hash, pages }) => [hash, columnsOf(pages as StoredPage[])]));
}

/** The pages of a space, prepared for searches. */
export interface SearchedMap {
  row: DocumentRow;
  /** The parent of each page in the row. */
  parents: ReturnType<typeof rowOf>['parents'];
  restrictions: ReadonlyMap<string, Restriction>;
  /** Its computed pages. */
  computed: readonly ComputedSource[];
  /** Whether all pages were found in the index; otherwise, the same content may later have more. */
  isIndexed: boolean;
}

/** Identifies the searchable content of a space: the maps of its pages and of its reusable contents, and how they are indexed. */
interface MapId {
  organization: string;
  space: string;
  map: MapRoot;
  contents: MapRoot;
  indexKey: string;
  /** The generation of the index. */
  generation: number;
  /** Makes documents of pages that are not in the index; without it, these are not found. */
  indexPages?: IndexPages | undefined;
}

/**
 * Reads the current pages of spaces of one organization. Leaves that are not indexed yet are read from the content if they are few, so that
 * unchanged pages are still found after an edit that is not indexed yet.
 */
export async function readMaps(db: Db, ids: readonly MapId[]): Promise<SearchedMap[]> {
  const known = ids.map((id) => (id.map === null ? undefined : searchedMapCache.get(mapKey(id))));
  const assembled = await assemble(
    db,
    ids.filter((_, index) => !known[index]),
  );
  return known.map((map) => map ?? (assembled.shift() as SearchedMap));
}

/** Leaves by their hashes; undefined for those of a map that the packs of its space have completely. */
type NeededHashes = Record<'own' | 'ofContents', readonly string[] | undefined>;

async function assemble(db: Db, ids: readonly MapId[]): Promise<SearchedMap[]> {
  const [first] = ids;
  if (!first) return [];
  const { organization, generation } = first;
  const indexKeys = new Map(ids.map(({ space, indexKey }) => [space, indexKey]));
  const packs = await readPacks(db, { organization, generation, indexKeys });
  const reader = batchingReader(db);
  const needed = await Promise.all(
    ids.map(async ({ space, map, contents }): Promise<NeededHashes> => {
      const hashesOf = (root: MapRoot) =>
        packs.get(space)?.leavesOf(root) ? undefined : readLeafHashes(reader, root);
      const [own, ofContents] = await Promise.all([hashesOf(map), hashesOf(contents)]);
      return { own, ofContents };
    }),
  );
  const { found, unindexed } = await readNeededLeaves(db, ids, needed, packs);
  const maps: SearchedMap[] = [];
  for (const [index, id] of ids.entries()) {
    const { own, ofContents } = needed[index] as NeededHashes;
    const packed = packs.get(id.space) as PackedSpace;
    const known = found.get(leafKey(id, '')) ?? new Map<string, Leaf>();
    const leavesOf = (root: MapRoot, hashes: readonly string[] | undefined) =>
      hashes ? packed.collect(hashes, known) : (packed.leavesOf(root) ?? []);
    const contents = reusableContentsIn(leavesOf(id.contents, ofContents));
    const leaves = leavesOf(id.map, own).map((leaf) => withIncluded(leaf, contents));
    const { row, parents } = rowOf(leaves);
    const isComplete = own?.every((hash) => packed.has(hash) || known.has(hash)) ?? true;
    const restrictions = await restrictionsOf(id, leaves, isComplete);
    const isIndexed =
      unindexed.size === 0 || ![...(own ?? []), ...(ofContents ?? [])].some((hash) => unindexed.has(hash));
    const map = {
      row: { ...row, limited: limitedDocuments(row, restrictions) },
      parents,
      restrictions,
      computed: leaves.flatMap(({ computed }) => computed),
      isIndexed,
    };
    maps.push(map);
    await setImmediate();
    if (id.map === null || !isIndexed) continue;
    searchedMapCache.set(mapKey(id), map, { size: 400 + bytesOfRow(map.row) });
  }
  return maps;
}

/** Reads the leaves that are not packed. */
async function readNeededLeaves(
  db: Db,
  ids: readonly MapId[],
  needed: readonly NeededHashes[],
  packs: ReadonlyMap<string, PackedSpace>,
): Promise<{
  /** The leaves by their hashes, for the spaces that are indexed in the same way, by the beginning of their {@link leafKey}s. */
  found: ReadonlyMap<string, ReadonlyMap<string, Leaf>>;
  unindexed: ReadonlySet<string>;
}> {
  const groups = new Map<string, { id: MapId; found: Map<string, Leaf>; missing: Set<string> }>();
  const groupOf = (id: MapId) => {
    const known = groups.get(leafKey(id, ''));
    if (known) return known;
    const group = { id, found: new Map<string, Leaf>(), missing: new Set<string>() };
    groups.set(leafKey(id, ''), group);
    return group;
  };
  for (const [index, id] of ids.entries()) {
    const { own = [], ofContents = [] } = needed[index] as NeededHashes;
    const { found, missing } = groupOf(id);
    for (const hash of [...own, ...ofContents]) {
      if (found.has(hash) || packs.get(id.space)?.has(hash)) continue;
      const leaf = leafCache.get(leafKey(id, hash));
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
  return { found: new Map([...groups].map(([key, { found }]) => [key, found])), unindexed };
}

/** The approximate memory usage of a row with the ids of its pages, in bytes. */
const bytesOfRow = ({ numbers, pages, conditions }: DocumentRow): number =>
  numbers.length * 9 + pages.length * 60 + conditions.size * 50;

/** The cache key of an indexed leaf, or of a map. */
const leafKey = ({ organization, indexKey, generation }: MapId, hash: string) =>
  `${organization} ${indexKey} ${generation} ${hash}`;

/** The cache key of a searched map. */
const mapKey = (id: MapId) => leafKey(id, `${id.map} ${id.contents}`);

async function restrictionsOf(
  { map }: MapId,
  leaves: readonly Leaf[],
  isComplete: boolean,
): Promise<ReadonlyMap<string, Restriction>> {
  const known = map === null ? undefined : restrictionCache.get(map);
  if (known) return known;
  const restrictions = await restrictionsIn(leaves, isComplete, setImmediate);
  if (map !== null && isComplete)
    restrictionCache.set(map, restrictions, { size: 100 + restrictions.size * 300 });
  return restrictions;
}

/** Reads leaves from the index; those that are not indexed are left out. */
async function readLeaves(db: Db, id: MapId, hashes: readonly string[]): Promise<Map<string, Leaf>> {
  const { organization, indexKey } = id;
  const leaves = new Map<string, Leaf>();
  let next = 0;
  const readBatches = async () => {
    while (next < hashes.length) {
      const batch = hashes.slice(next, next + BATCH);
      next += BATCH;
      for (const [hash, columns] of await readStoredLeaves(db, organization, indexKey, batch)) {
        const leaf = leafOf(columns);
        leafCache.set(leafKey(id, hash), leaf, { size: leaf.bytes });
        leaves.set(hash, leaf);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, readBatches));
  return leaves;
}

/** Builds leaves that are not indexed yet from the content. They are not cached, because they will soon have more documents. */
async function readUnindexed(
  db: Db,
  { organization, indexKey, indexPages }: MapId,
  hashes: readonly string[],
): Promise<Map<string, Leaf>> {
  if (hashes.length === 0) return new Map();
  const leaves = await readLeafRecords(db, hashes.slice(0, MAX_UNINDEXED));
  const pages = new Map<string, IndexablePage>();
  for (const record of [...leaves.values()].flat()) {
    const page = indexablePage(record, indexKey);
    if (page) pages.set(page.key, page);
  }
  const indexed = await readDocumentsByKey(db, organization, [...pages.keys()]);
  for (const { key } of indexed) pages.delete(key);
  const added = (await indexPages?.([...pages.values()])) ?? [];
  const parts = partsByKey([...indexed, ...added]);
  return new Map(
    [...leaves].map(([hash, records]) => [hash, leafOf(columnsOf(storedPages(records, indexKey, parts)))]),
  );
}

/** Reads the pages or reusable contents in each of some leaves. */
export async function readLeafRecords(
  db: Db,
  hashes: readonly string[],
): Promise<Map<string, IndexableRecord[]>> {
  const nodes = await readNodes(objectReader(db), hashes);
  return new Map(
    nodes.map((node, index) => [
      hashes[index] as string,
      node.items.map((entry) => entry[1] as IndexableRecord),
    ]),
  );
}

/** Reads the documents of some pages from an index. */
export const readDocumentsByKey = (db: Db, organization: string, keys: readonly string[]) =>
  db
    .selectFrom('search_document')
    .select(['key', 'part', 'number', 'conditions', 'includes'])
    .where('organization_id', '=', organization)
    .where('key', '=', sqlAny(keys))
    .execute();
