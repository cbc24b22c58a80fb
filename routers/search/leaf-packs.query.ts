import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import { LeafPack, PackedSpace } from './leaf-packs.ts';

/** Approximate size of the cache of packed leaves, in bytes. Those of 100,000 pages take about 4 MB. */
const PACK_BYTES = 16 * 1024 * 1024;

const packCache = new LRUCache<string, PackedSpace>({ maxSize: PACK_BYTES });

/** The spaces of one organization whose packs are read. */
interface PackedSpaces {
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
    .where('search_space.space_id', '=', sqlAny(spaces))
    .orderBy('search_leaf_pack.space_id')
    .orderBy('search_leaf_pack.position'),
);

/**
 * Reads the packed leaves of some spaces, by the ids of these. A space without packs has an empty list of them, which is cached
 * like any other: its leaves are then read one by one.
 */
export async function readPacks(
  db: Db,
  { organization, generation, indexKeys }: PackedSpaces,
): Promise<Map<string, PackedSpace>> {
  const keyOf = (space: string) => `${organization} ${indexKeys.get(space)} ${generation} ${space}`;
  const packed = new Map<string, PackedSpace>();
  const missing: string[] = [];
  for (const space of indexKeys.keys()) {
    const known = packCache.get(keyOf(space));
    if (known) packed.set(space, known);
    else missing.push(space);
  }
  if (missing.length === 0) return packed;
  const rows = await readRows(db, organization, `${generation}`, missing);
  const bySpace = Map.groupBy(rows, ({ space }) => space);
  for (const space of missing) {
    const packs: LeafPack[] = [];
    for (const { language, leaves } of bySpace.get(space) ?? []) {
      if (language !== indexKeys.get(space)) continue;
      packs.push(new LeafPack(leaves));
      await setImmediate();
    }
    const ofSpace = new PackedSpace(packs);
    packed.set(space, ofSpace);
    packCache.set(keyOf(space), ofSpace, { size: ofSpace.bytes });
  }
  return packed;
}
