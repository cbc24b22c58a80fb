import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

/** Sets these locks apart from others; "host" in ASCII. */
const HOSTNAME_LOCK = 0x686f7374;

/**
 * Lets one transaction at a time decide whose these hostnames are, whichever organizations claim them. Taken after the
 * locks of organizations and sites.
 */
export async function lockHostnames(db: Db, ...hostnames: string[]): Promise<void> {
  // In one order, so that two transactions with the same hostnames cannot deadlock.
  // guard: hostname-lock
  await sql`
    select pg_advisory_xact_lock(${HOSTNAME_LOCK}, key)
    from (select distinct hashtext(name) as key from unnest(${hostnames}::text[]) as name order by key) as keys`.execute(
    db,
  );
}
