import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Member } from '../../schema/entities/member.ts';
import { Organization } from '../../schema/entities/organization.ts';

/** Creates an organization whose first member, its creator, is its admin. */
export function createOrganization(em: SqlEntityManager, title: string, creatorId: string): Organization {
  const organization = em.create(Organization, { title, mergeRules: { type: 'none' } });
  em.create(Member, { organization: organization.id, user: creatorId, role: 'admin' });
  return organization;
}
