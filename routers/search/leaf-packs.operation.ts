import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoot } from '../engine/store/records.ts';
import { lockIndex } from './documents.operation.ts';
import { MAX_PACKED, packLeaves } from './leaf-packs.ts';
import { readLeafHashes, readStoredLeaves } from './leaves.query.ts';
import type { LeafColumns } from './leaves.ts';

/** Spaces with more leaves than this, of about 16 pages each, are packed. */
const MIN_LEAVES = 64;
/** They are packed again when one in this many of their leaves is new. */
const UNPACKED_SHARE = 8;

/** An indexed space whose packs are missing or out of date. */
interface UnpackedSpace {
  space: string;
  organization: string;
  root: string;
  language: string;
  /** The generation of the index. */
  generation: number;
}

type PackingContext = Pick<Context, 'db' | 'transaction'>;

/** Packs the leaves of the spaces in an index of which many are not packed. */
export async function packSpaces(ctx: PackingContext, organization: string): Promise<void> {
  const spaces = await ctx.db
    .selectFrom('search_space')
    .innerJoin('search_index', 'search_index.organization_id', 'search_space.organization_id')
    .select([
      'search_space.space_id as space',
      'search_space.organization_id as organization',
      'search_space.root',
      'search_space.language',
      'search_index.generation',
    ])
    .where('search_space.organization_id', '=', organization)
    .where((eb) =>
      eb.or([
        eb('packed_generation', '<>', eb.ref('search_index.generation')),
        eb('unpacked_leaves', '>', eb(eb.val(MIN_LEAVES), '+', eb('packed_leaves', '/', UNPACKED_SHARE))),
      ]),
    )
    .orderBy('space_id')
    .execute();
  for (const space of spaces) await packSpace(ctx, space);
}

async function packSpace({ db, transaction }: PackingContext, space: UnpackedSpace): Promise<void> {
  const reader = objectReader(db);
  const { pages, reusableContents } = await readRoot(reader, space.root);
  const ofPages = await readLeafHashes(reader, pages);
  const ofContents = await readLeafHashes(reader, reusableContents);
  const count = ofPages.length + ofContents.length;
  let packs: Buffer[] = [];
  if (count > MIN_LEAVES)
    for (const [map, hashes] of [
      [pages, ofPages],
      [reusableContents, ofContents],
    ] as const) {
      const ofMap = map === null ? [] : await buildPacks(db, space, map, hashes);
      // The space is about to be indexed again, and is packed then.
      if (!ofMap) return;
      packs = [...packs, ...ofMap];
    }
  await transaction(async (em) => {
    const trx = kyselyOf(em);
    // Leaves do not change within a generation. If it has changed, they are packed next time.
    const { generation } = await lockIndex(trx, space.organization);
    if (generation !== space.generation) return;
    const { numUpdatedRows } = await trx
      .updateTable('search_space')
      .set({
        packed_leaves: packs.length > 0 ? count : 0,
        unpacked_leaves: packs.length > 0 ? 0 : count,
        packed_generation: packs.length > 0 ? generation : null,
      })
      .where('space_id', '=', space.space)
      .where('organization_id', '=', space.organization)
      .where('language', '=', space.language)
      .executeTakeFirstOrThrow();
    // The space may have been removed, or moved to another organization, in the meantime.
    if (numUpdatedRows === 0n) return;
    await trx.deleteFrom('search_leaf_pack').where('space_id', '=', space.space).execute();
    // One by one: together, those of a very large space would make one very large statement.
    for (const [position, leaves] of packs.entries())
      await trx.insertInto('search_leaf_pack').values({ space_id: space.space, position, leaves }).execute();
  });
}

/** Packs the leaves of a map, one batch after the other; undefined if the index does not have all of them. */
async function buildPacks(
  db: Db,
  { organization, language }: UnpackedSpace,
  map: string,
  hashes: readonly string[],
): Promise<Buffer[] | undefined> {
  const packs: Buffer[] = [];
  for (let start = 0; start < hashes.length; start += MAX_PACKED) {
    const batch = hashes.slice(start, start + MAX_PACKED);
    const stored = await readStoredLeaves(db, organization, language, batch);
    if (stored.size < batch.length) return undefined;
    // The statement returns them in any order.
    packs.push(await packLeaves(new Map(batch.map((hash) => [hash, stored.get(hash) as LeafColumns])), map));
  }
  return packs;
}
