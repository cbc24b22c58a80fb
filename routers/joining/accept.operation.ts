import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Invite } from '../../schema/entities/invite.ts';
import { Member } from '../../schema/entities/member.ts';
import { Organization } from '../../schema/entities/organization.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Role } from '../../schema/enums.ts';
import { columnsOf, type Presentable, type Row } from '../../schema/rows.ts';
import { includes } from '../access/levels.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { domainOf } from '../base/email-addresses.ts';
import { hashSecret } from '../base/secrets.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { requireJoiningWithoutSso } from '../organizations/sso.operation.ts';
import { admitMember, requireNotDisabled } from '../people/members.operation.ts';
import { changeTeamMembers } from '../people/team-members.operation.ts';
import { endWeakSessions } from '../people/weak-sessions.operation.ts';
import { grant, lockResource } from '../permissions/permissions.operation.ts';
import type { Resource } from '../permissions/permissions.query.ts';
import { invitedContent } from './invites.query.ts';

/** The user who joins; their e-mail address counts only if it is verified. */
type JoiningUser = Pick<Presentable<User>, 'id' | 'email' | 'emailVerifiedAt'>;

/** The error for any invite that cannot be accepted, so that nobody learns of invites that are not for them. */
const inviteNotFound = () =>
  new DomainError(
    'not-found',
    'There is no such invite for you: it may have expired, or have been revoked or used.',
  );

/**
 * Accepts an invite: the user becomes a member, joins its team, and gets its level on its content. Members keep their role and
 * levels where these are higher. A single-use invite is deleted.
 * @param name the id of an invite by e-mail, or the secret of a link
 * @throws DomainError `not-found` for an invite that the user cannot accept, `forbidden` for an address that is not verified,
 *   links that are turned off and disabled members
 */
export async function acceptInvite(
  em: SqlEntityManager,
  user: JoiningUser,
  organization: string,
  name: string,
): Promise<void> {
  const db = kyselyOf(em);
  // Checked first, so that nobody without an invite locks the organization; again once locked, as it may have changed.
  const first = await findInvite(db, organization, name);
  if (!first) throw inviteNotFound();
  await lockOrganizations(db, organization);
  // guard: invite-read-again
  const invite = await findInvite(db, organization, name);
  // guard: invite-expired
  if (!invite || isExpired(invite)) throw inviteNotFound();
  if (invite.hash !== null) await requireLinksEnabled(db, organization);
  else requireAddress(user, invite.email);
  if (!invite.sso) await requireJoiningWithoutSso(db, organization);
  const resource = await contentOf(db, invite);
  if (resource && invite.level) await lockResource(db, resource);
  await admitMember(em, { organization, user: user.id }, { role: invite.role, sso: invite.sso });
  if (invite.team)
    await changeTeamMembers(em, { id: invite.team, organization }, { put: [[user.id, undefined]] });
  if (resource && invite.level && !(await hasGrant(db, resource, user.id, invite.level)))
    await grant(em, resource, { teams: [], users: [user.id] }, invite.level);
  // guard: invite-single-use
  if (invite.singleUse) await db.deleteFrom('invite').where('id', '=', invite.id).execute();
  // guard: factor-joining-sessions
  await endWeakSessions(db, { organization, user: user.id });
  recordEvent(em, { type: 'invite.accepted', organization, invite: invite.id, user: user.id });
}

/**
 * Lets a user join an organization that admits the domain of their verified e-mail address, with the organization's default
 * role. Members keep their role.
 * @throws DomainError `not-found`, `invalid` if their address does not admit them, `forbidden` for a disabled member
 */
export async function joinByDomain(
  em: SqlEntityManager,
  user: JoiningUser,
  organization: string,
): Promise<void> {
  const member = await em.findOne(Member, { organization, user: user.id });
  // guard: join-members-unchanged
  if (member) return requireNotDisabled(member);
  await requireDomain(em, user, organization);
  await lockOrganizations(kyselyOf(em), organization);
  // Its settings may have changed while waiting for the lock.
  await requireJoiningWithoutSso(kyselyOf(em), organization);
  const { defaultRole } = await requireDomain(em, user, organization);
  await admitMember(em, { organization, user: user.id }, { role: defaultRole });
  await endWeakSessions(kyselyOf(em), { organization, user: user.id });
}

async function requireDomain(
  em: SqlEntityManager,
  user: JoiningUser,
  id: string,
): Promise<Pick<Row<Organization>, 'defaultRole'>> {
  const organization = await kyselyOf(em)
    .selectFrom('organization')
    .select(columnsOf(Organization))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!organization) throw notFound('organization');
  // guard: join-verified-address
  if (!user.emailVerifiedAt)
    throw new DomainError(
      'invalid',
      'Verify your e-mail address first: its domain decides what you may join.',
    );
  // guard: join-exact-domain
  if (!organization.emailDomains.includes(domainOf(user.email)))
    throw new DomainError('invalid', 'The organization does not admit the domain of your e-mail address.');
  return organization;
}

const findInvite = (db: Db, organization: string, name: string): Promise<Row<Invite> | undefined> =>
  db
    .selectFrom('invite')
    .select(columnsOf(Invite))
    // guard: invite-organization
    .where('organization_id', '=', organization)
    .where((eb) =>
      // guard: invite-link-id
      eb.or([eb('hash', '=', hashSecret(name)), eb.and([eb('id', '=', name), eb('email', 'is not', null)])]),
    )
    .executeTakeFirst();

const isExpired = ({ expiresAt }: Row<Invite>): boolean =>
  expiresAt !== null && new Date(expiresAt).getTime() <= Date.now();

async function requireLinksEnabled(db: Db, organization: string): Promise<void> {
  const found = await db
    .selectFrom('organization')
    .select('invite_links as allowed')
    .where('id', '=', organization)
    .executeTakeFirst();
  // guard: invite-links-off
  if (!found?.allowed)
    throw new DomainError('forbidden', 'Invite links are turned off in this organization.');
}

function requireAddress(user: JoiningUser, email: string | null): void {
  // guard: invite-address
  if (user.email !== email) throw inviteNotFound();
  // guard: invite-verified-address
  if (!user.emailVerifiedAt)
    throw new DomainError('forbidden', 'Verify your e-mail address first: the invite is only for its owner.');
}

/** The content that an invite grants a level on, if any. @throws DomainError `not-found` if the content was deleted */
async function contentOf(
  db: Db,
  { space, collection, organization }: Row<Invite>,
): Promise<Resource | undefined> {
  const id = space ?? collection;
  if (!id) return undefined;
  const content = await invitedContent(db, organization, { kind: space ? 'space' : 'collection', id });
  if (!content) throw inviteNotFound();
  return content;
}

/** Whether a user already has a grant on a resource with at least this level: a new grant would replace it. */
async function hasGrant(db: Db, resource: Resource, user: string, level: Role): Promise<boolean> {
  const granted = await db
    .selectFrom('permission')
    .select('role')
    .where(`${resource.kind}_id`, '=', resource.id)
    .where('user_id', '=', user)
    .executeTakeFirst();
  // guard: invite-stronger-grant
  return granted !== undefined && includes(granted.role, level);
}
