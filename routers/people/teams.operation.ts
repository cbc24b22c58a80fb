import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';
import { lockReferencedRow } from '../sql/lock-row.ts';

/**
 * Ensures that a team, if given, belongs to an organization, and locks it against deletion until the end of the transaction.
 * @throws DomainError `not-found`
 */
export async function requireTeam(
  db: Db,
  organization: string,
  team: string | null | undefined,
): Promise<void> {
  if (team === null || team === undefined) return;
  const exists = await lockReferencedRow(db, 'team', { organization, id: team });
  if (!exists) throw notFound('team');
}
