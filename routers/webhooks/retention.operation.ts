import { sql } from 'kysely';
import type { Context } from '../base/context.ts';

/** Small enough to keep each transaction short. */
const BATCH = 1000;

/** Removes deliveries older than the retention of events, in batches, except those waiting for an attempt. */
export async function removeOldDeliveries({ db, services }: Context): Promise<void> {
  for (;;) {
    // guard: delivery-pending-kept
    const { numAffectedRows = 0n } = await sql`
      delete from webhook_delivery where id in (
        select id from webhook_delivery
        where created_at < now() - make_interval(days => ${services.eventRetention}) and status <> 'pending'
        limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
