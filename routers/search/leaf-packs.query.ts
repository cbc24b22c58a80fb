import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import { type LeafPack, unpackLeaves } from './leaf-packs.ts';
import { type Leaf, leafOf } from './leaves.ts';

/** Approximate size of the cache of packed leaves, in bytes. Those of 100,000 pages take about 14 MB. */
const PACK_BYTES = 24 * 1024 * 1024;

/** Leaves by their hashes. */
type Leaves = ReadonlyMap<string, Leaf>;

/** The packed leaves of spaces. Content that changed since they were packed is missing from them, but they are never wrong. */
const packCache = new LRUCache<string, Leaves>({ maxSize: PACK_BYTES });

/** The spaces of one organization whose packs are read. */
export interface PackedSpaces {
  organization: string;
  /** The generation of the index. */
  generation: number;
  /** For each space, how its pages are indexed. */
  indexKeys: ReadonlyMap<string, string>;
}

const readRows = statement((db, organization: string, generation: string, spaces: string[]) =>
  db
    .selectFrom('search_leaf_pack')
    .innerJoin('search_space', 'search_space.space_id', 'search_leaf_pack.space_id')
    .select(['search_space.space_id as space', 'search_space.language', 'search_leaf_pack.leaves'])
    .where('search_space.organization_id', '=', organization)
    // guard: search-pack-generation
    .where('search_space.packed_generation', '=', sql<number>`${generation}::int`)
    .where('search_space.space_id', '=', sqlAny(spaces)),
);

/** Reads the packed leaves of some spaces, by the ids of these; spaces without packs are left out. */
export async function readPacks(
  db: Db,
  { organization, generation, indexKeys }: PackedSpaces,
): Promise<Map<string, Leaves>> {
  const keyOf = (space: string) => `${organization} ${indexKeys.get(space)} ${generation} ${space}`;
  const packs = new Map<string, Leaves>();
  const missing: string[] = [];
  for (const space of indexKeys.keys()) {
    const known = packCache.get(keyOf(space));
    if (known) packs.set(space, known);
    else missing.push(space);
  }
  if (missing.length === 0) return packs;
  const rows = await readRows(db, organization, `${generation}`, missing);
  const current = rows.filter(({ space, language }) => language === indexKeys.get(space));
  for (const [space, ofSpace] of Map.groupBy(current, (row) => row.space)) {
    const leaves = new Map<string, Leaf>();
    for (const { leaves: pack } of ofSpace)
      for (const [hash, columns] of unpackLeaves(pack as LeafPack)) leaves.set(hash, leafOf(columns));
    packs.set(space, leaves);
    const size = [...leaves.values()].reduce((sum, { bytes }) => sum + bytes, 200);
    packCache.set(keyOf(space), leaves, { size });
  }
  return packs;
}
