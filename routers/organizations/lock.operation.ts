import type { Db } from '../context.ts';

/**
 * Lets one transaction at a time change where the collections and spaces of these organizations lie. What was read
 * before may have changed while waiting.
 */
export async function lockOrganizations(db: Db, ...organizations: string[]): Promise<void> {
  await db
    .selectFrom('organization')
    .select('id')
    .where('id', 'in', organizations)
    // Always in one order, so that two transfers in opposite directions wait instead of locking each other out.
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
