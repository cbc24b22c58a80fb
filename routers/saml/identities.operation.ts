import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Member } from '../../schema/entities/member.ts';
import { SamlIdentity as SamlIdentityRow } from '../../schema/entities/saml-identity.ts';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { normalizeEmail } from '../base/email-addresses.ts';
import { DomainError } from '../engine/errors.ts';
import type { SamlIdentity } from '../engine/saml/assertion.ts';
import { firstCharacters } from '../engine/text.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { admitMember, markSso, requireNotDisabled } from '../people/members.operation.ts';
import { changeTeamMembers } from '../people/team-members.operation.ts';
import type { ActiveProvider } from './saml-providers.query.ts';

/** The same limit as for names that users choose. */
const MAX_NAME = 64;

const forbidden = (message: string) => new DomainError('forbidden', message);

/**
 * Admits the user that a provider has authenticated: the one who signed in with this NameID before, else the member with
 * the e-mail address from the provider, else a new user. New members get the role and team of the provider; existing ones
 * keep what they have.
 * @returns the id of the user
 * @throws DomainError `forbidden` for a disabled member, or if the response of the provider does not identify the user
 */
export async function admitIdentity(
  em: SqlEntityManager,
  provider: ActiveProvider,
  identity: SamlIdentity,
): Promise<string> {
  const { id, organization, defaultRole, defaultTeam } = provider;
  const db = kyselyOf(em);
  // Two concurrent first sign-ins of the same person must not create two users.
  // guard: saml-identity-lock
  await lockOrganizations(db, organization);
  const known = await em.findOne(SamlIdentityRow, { provider: id, nameId: identity.nameId });
  const user = known?.user ?? (await findOrCreateUser(em, provider, identity));
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
 * The user with the e-mail address from a provider. It may only vouch for members of its own organization, by an address
 * that they verified or that came from a provider of the organization, or for a new user.
 */
async function findOrCreateUser(
  em: SqlEntityManager,
  { id, organization }: ActiveProvider,
  { email: given, displayName }: SamlIdentity,
): Promise<string> {
  const db = kyselyOf(em);
  const email = given === undefined ? undefined : normalizeEmail(given);
  if (email === undefined)
    throw forbidden(
      'The identity provider does not send your e-mail address, in an attribute such as "email".',
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
      'There already is an account with your e-mail address, which is not a member of this organization: sign in to it, join the organization with an invite, and then use SSO.',
    );
  // guard: saml-one-name-id
  if (found.some(({ provider }) => provider === id))
    throw forbidden(
      'The member with your e-mail address signs in with another NameID of this identity provider: ask an admin.',
    );
  return user.id;
}

/** Creates a user. @returns undefined if there already is one with the address */
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
      display_name: firstCharacters(name, MAX_NAME),
      created_at: new Date(),
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return created?.id;
}
