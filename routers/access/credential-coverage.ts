/** Which of a user's memberships a credential may be used for: one may be limited to an organization, another may lack SSO. */

import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';

/** What a membership requires of credentials. */
export interface CredentialRequirements {
  organization: string;
  /** Whether the organization admits only members who sign in by SSO. */
  ssoRequired: boolean;
  /** Whether the member signs in by SSO. */
  sso: boolean;
}

/** An SQL expression for whether the organization of a row of `member` admits only members who sign in by SSO. */
export const ssoRequired = (member = 'member') =>
  sql<boolean>`(select organization.sso from organization where organization.id = ${sql.ref(`${member}.organization_id`)})`;

/**
 * Whether a credential may be used in an organization that its user is a member of. A credential that comes from an
 * organization's own identity provider is limited to it: whoever runs that provider must not get into others.
 * @throws DomainError `forbidden` if the organization requires SSO and the credential does not come from it
 */
export function credentialCovers(
  { credential }: Pick<Actor, 'credential'>,
  member: CredentialRequirements,
): boolean {
  const { organization, ssoRequired, sso } = member;
  // guard: credential-organization
  if (credential.organization !== null && credential.organization !== organization) return false;
  if (!ssoRequired) return true;
  // guard: sso-members
  if (!sso) throw new DomainError('forbidden', 'This organization admits only members who sign in by SSO.');
  // guard: sso-sessions
  if (credential.kind === 'session' && credential.organization === null)
    throw new DomainError(
      'forbidden',
      'This organization requires SSO: sign in again through its identity provider.',
    );
  return true;
}

/** The same as a condition on a table of members, for lists, which leave out what the credential does not cover. */
export const coveredByCredential = (
  { credential }: Pick<Actor, 'credential'>,
  member = 'member',
): RawBuilder<boolean> =>
  coveredBySelectedCredential(
    { organization: credential.organization, isToken: credential.kind !== 'session' },
    member,
  );

/** The same for credentials that the statement itself selects. */
export function coveredBySelectedCredential(
  credential: {
    organization: string | null | RawBuilder<string | null>;
    isToken: boolean | RawBuilder<boolean>;
  },
  member = 'member',
): RawBuilder<boolean> {
  const organization = sql`${credential.organization}::text`;
  const of = sql.ref(`${member}.organization_id`);
  // guard: credential-organization-lists, sso-lists
  return sql<boolean>`(
    coalesce(${organization} = ${of}, true)
    and (not ${ssoRequired(member)}
      or (${sql.ref(`${member}.sso`)} and (${credential.isToken}::boolean or ${organization} is not null))))`;
}

/**
 * Requires a credential that is not limited to one organization, for what concerns the user's account.
 * @throws DomainError `forbidden` for one that comes from an organization's identity provider
 */
export function requireUnrestrictedCredential({ credential }: Pick<Actor, 'credential'>): void {
  // guard: credential-account
  if (credential.organization !== null)
    throw new DomainError(
      'forbidden',
      'You are signed in by SSO, for one organization: sign in to your account to do this.',
    );
}
