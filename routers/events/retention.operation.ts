import { sql } from 'kysely';
import type { Context } from '../base/context.ts';

/** Small enough to keep each transaction short. */
const BATCH = 1000;

/**
 * Removes the events older than the retention, in batches. The last event of each organization is kept: a stream where
 * nothing has happened since can still be resumed.
 */
export async function removeOldEvents({ db, services }: Context): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from event where id in (
        select event.id from event join event_counter using (organization_id)
        where created_at < now() - make_interval(days => ${services.eventRetention}) and number < last
        limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
