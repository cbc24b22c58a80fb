import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Organization } from '../../schema/entities/organization.ts';
import { User } from '../../schema/entities/user.ts';
import { isId } from '../../schema/ids.ts';
import { DomainError, notFound } from '../errors.ts';

/**
 * Finds a user as people name them: by id or by e-mail address.
 * @throws DomainError `not-found`.
 */
export async function lookUpUser(em: SqlEntityManager, idOrEmail: string): Promise<User> {
  const where = isId(idOrEmail) ? { id: idOrEmail } : { email: idOrEmail.toLowerCase() };
  const user = await em.findOne(User, where);
  if (!user) throw notFound('user');
  return user;
}

/**
 * Finds an organization by id, or by its title where only one bears it.
 * @throws DomainError `not-found`, or `conflict` when several bear the title.
 */
export async function lookUpOrganization(em: SqlEntityManager, idOrTitle: string): Promise<Organization> {
  const byId = isId(idOrTitle) ? await em.findOne(Organization, { id: idOrTitle }) : null;
  if (byId) return byId;
  const [organization, other] = await em.find(Organization, { title: idOrTitle }, { limit: 2 });
  if (!organization) throw notFound('organization');
  if (other) throw new DomainError('conflict', 'Several organizations have this title: give the id.');
  return organization;
}
