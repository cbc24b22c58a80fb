import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

/** Keeps these advisory locks apart from others; "host" in ASCII. */
const HOSTNAME_LOCK = 0x686f7374;

/**
 * Lets one transaction at a time decide whose these hostnames are, whichever organizations claim them. Take these locks after
 * those of organizations and sites.
 */
export async function lockHostnames(db: Db, ...hostnames: string[]): Promise<void> {
  // Always in the same order, so that two transactions with the same hostnames cannot deadlock.
  // guard: hostname-lock
  await sql`
    select pg_advisory_xact_lock(${HOSTNAME_LOCK}, key)
    from (select distinct hashtext(name) as key from unnest(${hostnames}::text[]) as name order by key) as keys`.execute(
    db,
  );
}
