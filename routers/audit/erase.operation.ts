import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

/**
 * Erases the personal data of a user, and their salts, from all audit logs. The digests that remain reveal nothing without
 * the salts, and keep the chains valid.
 * @returns how many events had such data
 */
export async function erasePersonalData(db: Db, user: string): Promise<number> {
  // guard: audit-salt
  const { numAffectedRows = 0n } = await sql`
    update audit_event set personal = null, salt = null
    where person_id = ${user} and personal is not null`.execute(db);
  return Number(numAffectedRows);
}
