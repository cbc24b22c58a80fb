import { sql } from 'kysely';
import { RETENTION_DAYS } from '../access/require.ts';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { lockSitesOf, removeFromSites } from '../placement/sites.operation.ts';

/** Small enough to keep each transaction short. */
const BATCH = 50;

/**
 * Removes the deleted spaces that can no longer be restored, with everything that belongs to them. Safe to run in several
 * processes at once; unreachable content objects are garbage-collected separately.
 */
export async function removeDeletedSpaces({ transaction, services }: Context): Promise<void> {
  for (;;) {
    const removed = await transaction((em) => removeBatch(kyselyOf(em)));
    if (removed.length > 0) services.logger.info({ spaces: removed }, 'deleted spaces removed');
    if (removed.length < BATCH) return;
  }
}

async function removeBatch(db: Db): Promise<string[]> {
  const expired = db
    .selectFrom('space')
    .select('id')
    .where('deleted_at', '<', sql<Date>`now() - make_interval(days => ${RETENTION_DAYS})`);
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  // guard: expired-spaces-lock-order
  const candidates = idsOf(await expired.limit(BATCH).execute());
  if (candidates.length === 0) return [];
  // Deleted spaces cannot be added to other sites meanwhile.
  await lockSitesOf(db, sql`select unnest(${candidates}::text[])`);
  const ids = idsOf(await expired.where('id', 'in', candidates).forUpdate().skipLocked().execute());
  if (ids.length === 0) return [];
  await removeFromSites(db, sql`select unnest(${ids}::text[])`);
  await db.deleteFrom('space').where('id', 'in', ids).execute();
  return ids;
}
