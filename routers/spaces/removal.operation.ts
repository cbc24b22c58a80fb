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
export async function removeExpiredSpaces({ transaction, services }: Context): Promise<void> {
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
  const seen = idsOf(await expired.limit(BATCH).execute());
  if (seen.length === 0) return [];
  // A deleted space is put on no other site in the meantime.
  await lockSitesOf(db, sql`select unnest(${seen}::text[])`);
  const ids = idsOf(await expired.where('id', 'in', seen).forUpdate().skipLocked().execute());
  if (ids.length === 0) return [];
  await removeFromSites(db, sql`select unnest(${ids}::text[])`);
  await db.deleteFrom('space').where('id', 'in', ids).execute();
  return ids;
}
