import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

/**
 * Erases the personal data of a user from all audit logs, with their salts: what is left, digests without salts, tells
 * nothing, and keeps the chains true.
 * @returns how many events had some
 */
export async function erasePersonalData(db: Db, user: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update audit_event set personal = null, salt = null
    where person_id = ${user} and personal is not null`.execute(db);
  return Number(numAffectedRows);
}
