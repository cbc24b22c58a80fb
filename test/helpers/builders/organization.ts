import { Organization } from '../../../schema/entities/organization.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';
import { buildMember } from './member.ts';
import type { Person } from './user.ts';

/** An organization with a new user as its admin. */
export async function buildOrganization(
  database: DatabaseHandle,
  { title = 'Organization' }: { title?: string } = {},
): Promise<{ id: string; admin: Person }> {
  const id = await database.transaction(async (em) => {
    const organization = em.create(Organization, { title, mergeRules: { type: 'none' } });
    await em.flush();
    return organization.id;
  });
  return { id, admin: await buildMember(database, id, 'admin') };
}
