import { sql } from 'kysely';
import { RETENTION_DAYS } from '../access/require.ts';
import type { Context } from '../context.ts';

/** Few enough at a time to keep each transaction short. */
const BATCH = 50;

/**
 * Removes the spaces whose time to be restored is over, with all that only they held. Runs beside other processes
 * doing the same; objects of content that nothing reaches any more are collected on their own.
 */
export async function removeExpiredSpaces({ db, services }: Context): Promise<void> {
  for (;;) {
    const removed = await db
      .deleteFrom('space')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('space')
          .select('id')
          .where('deleted_at', '<', sql<Date>`now() - make_interval(days => ${RETENTION_DAYS})`)
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .returning('id')
      .execute();
    if (removed.length > 0)
      services.logger.info({ spaces: removed.map((space) => space.id) }, 'deleted spaces removed');
    if (removed.length < BATCH) return;
  }
}
