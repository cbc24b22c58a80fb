/** How far what a caller showed reaches: not every credential of a member counts in each of their organizations. */

import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';

/** What decides it, of a membership. */
export interface ReachedMember {
  organization: string;
  /** Whether the organization admits only those who sign in by SSO. */
  ssoRequired: boolean;
  /** Whether the member does. */
  sso: boolean;
}

/** Whether an organization admits only those who sign in by SSO, as an expression on a table with members. */
export const ssoRequired = (member = 'member') =>
  sql<boolean>`(select organization.sso from organization where organization.id = ${sql.ref(`${member}.organization_id`)})`;

/**
 * Whether a credential counts in an organization that its user is a member of. One that an identity provider of an
 * organization stands behind counts in that organization alone: whoever runs the provider must not reach others.
 * @throws DomainError `forbidden` if the organization admits only those who sign in by SSO, and this is not by it
 */
export function reaches({ credential }: Pick<Actor, 'credential'>, member: ReachedMember): boolean {
  const { organization, ssoRequired, sso } = member;
  if (credential.organization !== null && credential.organization !== organization) return false;
  if (!ssoRequired) return true;
  if (!sso) throw new DomainError('forbidden', 'This organization admits only members who sign in by SSO.');
  if (credential.kind === 'session' && credential.organization === null)
    throw new DomainError(
      'forbidden',
      'This organization requires SSO: sign in again by its identity provider.',
    );
  return true;
}

/** The same as a condition on a table with members, for lists: what is not reached is left out. */
export const reachedBy = (
  { credential }: Pick<Actor, 'credential'>,
  member = 'member',
): RawBuilder<boolean> =>
  reachedWith({ organization: credential.organization, isToken: credential.kind !== 'session' }, member);

/** The same for credentials that are read in the statement. */
export function reachedWith(
  credential: {
    organization: string | null | RawBuilder<string | null>;
    isToken: boolean | RawBuilder<boolean>;
  },
  member = 'member',
): RawBuilder<boolean> {
  const organization = sql`${credential.organization}::text`;
  const of = sql.ref(`${member}.organization_id`);
  return sql<boolean>`(
    coalesce(${organization} = ${of}, true)
    and (not ${ssoRequired(member)}
      or (${sql.ref(`${member}.sso`)} and (${credential.isToken}::boolean or ${organization} is not null))))`;
}

/**
 * What is about the user and not about one organization is for those who showed that they are the user to this service.
 * @throws DomainError `forbidden` for others, for whom an identity provider of an organization stands
 */
export function requireWholeAccount({ credential }: Pick<Actor, 'credential'>): void {
  if (credential.organization !== null)
    throw new DomainError(
      'forbidden',
      'You are signed in by SSO, for one organization: sign in to your account to do this.',
    );
}
