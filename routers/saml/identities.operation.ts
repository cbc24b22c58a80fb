import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Member } from '../../schema/entities/member.ts';
import { SamlIdentity as SamlIdentityRow } from '../../schema/entities/saml-identity.ts';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { normalizeEmail } from '../base/email-addresses.ts';
import { DomainError } from '../engine/errors.ts';
import type { SamlIdentity } from '../engine/saml/assertion.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { admitMember, markSso, requireNotDisabled } from '../people/members.operation.ts';
import { changeTeamMembers } from '../people/team-members.operation.ts';
import type { ActiveProvider } from './saml-providers.query.ts';

/** As long as names that users give themselves. */
const MAX_NAME = 64;

const forbidden = (message: string) => new DomainError('forbidden', message);

/**
 * Lets in whom a provider vouches for: the user whom it named before, else the member with the e-mail address that it says,
 * else a new user. New members get the role and the team of the provider; members keep what they have.
 * @returns the id of the user
 * @throws DomainError `forbidden` for a disabled member, and where the provider says nothing that tells who it is
 */
export async function admitIdentity(
  em: SqlEntityManager,
  provider: ActiveProvider,
  identity: SamlIdentity,
): Promise<string> {
  const { id, organization, defaultRole, defaultTeam } = provider;
  const db = kyselyOf(em);
  // Whoever signs in twice at once for the first time is one user.
  // guard: saml-identity-lock
  await lockOrganizations(db, organization);
  const known = await em.findOne(SamlIdentityRow, { provider: id, nameId: identity.nameId });
  const user = known?.user ?? (await userWithAddress(em, provider, identity));
  const key = { organization, user };
  const member = await em.findOne(Member, key);
  if (member) {
    // guard: saml-disabled-members
    requireNotDisabled(member);
    await markSso(em, key);
  } else {
    await admitMember(em, key, { role: defaultRole, sso: true });
    if (defaultTeam)
      await changeTeamMembers(em, { id: defaultTeam, organization }, { put: [[user, undefined]] });
  }
  if (!known) em.create(SamlIdentityRow, { provider: id, nameId: identity.nameId, user });
  await em.flush();
  return user;
}

/**
 * The user with the address that a provider says, whom it may speak for: only members of its own organization, by an
 * address that they verified or that a provider of the organization brought, or a new user.
 */
async function userWithAddress(
  em: SqlEntityManager,
  { id, organization }: ActiveProvider,
  { email: given, displayName }: SamlIdentity,
): Promise<string> {
  const db = kyselyOf(em);
  const email = given === undefined ? undefined : normalizeEmail(given);
  if (email === undefined)
    throw forbidden(
      'The identity provider does not say your e-mail address, in an attribute such as "email".',
    );
  const created = await createUser(db, email, displayName);
  if (created) {
    recordAccountAction(em, created, { action: 'user.created', targetType: 'user', target: created });
    return created;
  }
  const found = await db
    .selectFrom('user')
    .leftJoin('member', (join) =>
      join.onRef('member.user_id', '=', 'user.id').on('member.organization_id', '=', organization),
    )
    .leftJoin('saml_identity', 'saml_identity.user_id', 'user.id')
    .leftJoin('saml_provider', (join) =>
      join
        .onRef('saml_provider.id', '=', 'saml_identity.provider_id')
        .on('saml_provider.organization_id', '=', organization),
    )
    .select(['user.id', 'user.email_verified_at as verifiedAt', 'member.user_id as member'])
    .select('saml_provider.id as provider')
    .where('user.email', '=', email)
    .execute();
  const [user] = found;
  // guard: saml-identity-member, saml-identity-verified
  if (!user || user.member === null || (!user.verifiedAt && found.every(({ provider }) => provider === null)))
    throw forbidden(
      'There is an account with your e-mail address already, and it is no member of this organization: sign in to it, join the organization by an invite, and then use SSO.',
    );
  // guard: saml-one-name-id
  if (found.some(({ provider }) => provider === id))
    throw forbidden(
      'The member with your e-mail address signs in with another NameID of this identity provider: ask an admin.',
    );
  return user.id;
}

/** @returns undefined if there is a user with the address */
async function createUser(
  db: Db,
  email: string,
  displayName: string | undefined,
): Promise<string | undefined> {
  const name = displayName ?? email.slice(0, email.lastIndexOf('@'));
  const created = await db
    .insertInto('user')
    .values({
      id: newId(),
      email,
      display_name: [...name].slice(0, MAX_NAME).join(''),
      created_at: new Date(),
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return created?.id;
}
