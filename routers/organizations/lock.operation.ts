import type { Db } from '../base/db.ts';
import { awaitLock } from '../sql/lock-row.ts';

/**
 * Lets one transaction at a time change the placement of collections and spaces of these organizations, their admins, and who
 * joins. What was read before may have changed while waiting for the lock.
 */
export async function lockOrganizations(db: Db, ...organizations: string[]): Promise<void> {
  const locking = db
    .selectFrom('organization')
    .select('id')
    .where('id', 'in', organizations)
    // Always in the same order, so that two transfers in opposite directions cannot deadlock.
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await awaitLock('organization', locking);
}
