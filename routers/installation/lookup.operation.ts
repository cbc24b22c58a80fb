import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Member } from '../../schema/entities/member.ts';
import { Organization } from '../../schema/entities/organization.ts';
import { User } from '../../schema/entities/user.ts';
import { isId } from '../../schema/json/id.ts';
import { DomainError, notFound } from '../engine/errors.ts';

/**
 * Finds a user by id or by e-mail address.
 * @throws DomainError `not-found`.
 */
export async function lookUpUser(em: SqlEntityManager, idOrEmail: string): Promise<User> {
  const where = isId(idOrEmail) ? { id: idOrEmail } : { email: idOrEmail.toLowerCase() };
  const user = await em.findOne(User, where);
  if (!user) throw notFound('user');
  return user;
}

/**
 * Finds an organization by id, or by its title if that is unique; without either, the only one there is.
 * @throws DomainError `not-found`, `conflict` if several have the title, `invalid` without a name unless there is exactly
 *   one.
 */
export async function lookUpOrganization(em: SqlEntityManager, idOrTitle?: string): Promise<Organization> {
  if (idOrTitle === undefined) return lookUpOnlyOrganization(em);
  const byId = isId(idOrTitle) ? await em.findOne(Organization, { id: idOrTitle }) : null;
  if (byId) return byId;
  const [organization, other] = await em.find(Organization, { title: idOrTitle }, { limit: 2 });
  if (!organization) throw notFound('organization');
  if (other) throw new DomainError('conflict', 'Several organizations have this title: use the id.');
  return organization;
}

async function lookUpOnlyOrganization(em: SqlEntityManager): Promise<Organization> {
  const [organization, other] = await em.find(Organization, {}, { limit: 2 });
  if (!organization) throw new DomainError('invalid', 'There is no organization.');
  if (other)
    throw new DomainError('invalid', 'There are several organizations: name one with --organization.');
  return organization;
}

/**
 * The author of an operation: the given member, or the organization's first admin.
 * @returns the id of the user.
 * @throws DomainError `not-found` if the user is not a member, `invalid` if there is no admin.
 */
export async function lookUpAuthor(
  em: SqlEntityManager,
  organization: string,
  idOrEmail?: string,
): Promise<string> {
  if (idOrEmail !== undefined) {
    const { id } = await lookUpUser(em, idOrEmail);
    const member = await em.findOne(Member, { organization, user: id, disabled: false });
    if (!member) throw notFound('member');
    return id;
  }
  const admin = await em.findOne(
    Member,
    { organization, role: 'admin', disabled: false },
    { orderBy: { joinedAt: 'asc', user: 'asc' } },
  );
  if (!admin) throw new DomainError('invalid', 'The organization has no admin: name an author.');
  return admin.user;
}
