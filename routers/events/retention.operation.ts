import { sql } from 'kysely';
import type { Context } from '../base/context.ts';

/** Small enough to keep each transaction short. */
const BATCH = 1000;

/**
 * Removes events older than the retention, in batches. The last event of each organization is kept, so that a stream that
 * has seen nothing since can still be resumed.
 */
export async function removeOldEvents({ db, services }: Context): Promise<void> {
  for (;;) {
    // guard: event-last-kept
    const { numAffectedRows = 0n } = await sql`
      delete from event where id in (
        select event.id from event join event_counter using (organization_id)
        where created_at < now() - make_interval(days => ${services.eventRetention}) and number < last
        limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
