import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';
import { lockReferencedRow } from '../sql/lock-row.ts';

/**
 * Makes sure that a team, if one is named, is of an organization, and lets nobody delete it until the end of the transaction.
 * @throws DomainError `not-found`
 */
export async function requireTeam(
  db: Db,
  organization: string,
  team: string | null | undefined,
): Promise<void> {
  if (team === null || team === undefined) return;
  const isThere = await lockReferencedRow(db, 'team', { organization, id: team });
  if (!isThere) throw notFound('team');
}
