import { isReservedSubdomain } from '../addresses/hostnames.ts';
import type { Db } from '../base/db.ts';
import type { Hosting } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * Gives a subdomain of the installation to an organization, instead of the one that it had.
 * @throws DomainError `invalid` for a reserved one, `conflict` if another organization has it
 */
export async function claimSubdomain(
  db: Db,
  hosting: Hosting,
  organization: string,
  subdomain: string,
): Promise<void> {
  // guard: subdomain-reserved
  if (isReservedSubdomain(subdomain, hosting)) {
    const message = 'This hostname is reserved.';
    throw new DomainError('invalid', message, [{ path: 'hostname', message }]);
  }
  await db
    .deleteFrom('subdomain')
    .where('organization_id', '=', organization)
    .where('subdomain', '!=', subdomain)
    .execute();
  await db
    .insertInto('subdomain')
    .values({ subdomain, organization_id: organization, created_at: new Date() })
    .onConflict((conflict) => conflict.column('subdomain').doNothing())
    .execute();
  const owner = await db
    .selectFrom('subdomain')
    .select('organization_id')
    .where('subdomain', '=', subdomain)
    .executeTakeFirst();
  if (owner?.organization_id !== organization)
    throw new DomainError('conflict', 'Another organization has this hostname.');
}
