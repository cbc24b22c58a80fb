import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Invite } from '../../schema/entities/invite.ts';
import type { Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { requireTeam } from '../people/teams.operation.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { invitedContent } from './invites.query.ts';

/** How many invites of each kind an organization may have that have not expired. */
const MAX_EMAIL_INVITES = 1000;
const MAX_LINKS = 100;

/** The terms that both kinds of invites have. */
interface Terms {
  organization: string;
  team?: string | undefined;
  expiresAt?: string | undefined;
}

/**
 * Invites users by their e-mail addresses. Addresses of members are left out; a new invite replaces an earlier one to the same
 * address.
 * @param roles the role for each normalized address
 * @throws DomainError `not-found` for a team that the organization does not have, `conflict` beyond the limit
 */
export async function inviteByEmail(
  em: SqlEntityManager,
  { organization, team, expiresAt, sso }: Terms & { sso: boolean },
  roles: ReadonlyMap<string, Role | null>,
): Promise<(Row<Invite> & { email: string })[]> {
  const db = kyselyOf(em);
  await lockOrganizations(db, organization);
  await requireTeam(db, organization, team);
  const members = await db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.user_id')
    .select('user.email')
    .where('member.organization_id', '=', organization)
    .where('user.email', '=', sqlAny([...roles.keys()]))
    .execute();
  const known = new Set(members.map(({ email }) => email));
  const invited = [...roles].filter(([email]) => !known.has(email));
  if (invited.length === 0) return [];
  await removeExpired(db, organization);
  await db
    .deleteFrom('invite')
    .where('organization_id', '=', organization)
    // guard: invite-one-per-address
    .where('email', '=', sqlAny(invited.map(([email]) => email)))
    .execute();
  const rows = invited.map(([email, role]) => ({
    ...newRow({ organization, team, expiresAt }, role),
    email,
    sso,
    single_use: true,
  }));
  const created = await db.insertInto('invite').values(rows).returning(columnsOf(Invite)).execute();
  await requireWithinLimit(db, organization, 'email', MAX_EMAIL_INVITES);
  for (const { id } of created) recordEvent(em, { type: 'invite.created', organization, invite: id });
  return created as (Row<Invite> & { email: string })[];
}

/** What an invite link grants: a role in the organization, and optionally a level on some content. */
interface LinkTerms extends Terms {
  role: Role | null;
  content?: { kind: 'space' | 'collection'; id: string; level: Role } | undefined;
  singleUse: boolean;
}

/**
 * Creates an invite link. Its secret, of 192 bits, is returned, but not stored.
 * @throws DomainError `not-found` for a team or content that the organization does not have, `conflict` if it does not
 *   allow links or beyond the limit
 */
export async function createLinkInvite(
  em: SqlEntityManager,
  { role, content, singleUse, ...terms }: LinkTerms,
): Promise<{ id: string; secret: string }> {
  const db = kyselyOf(em);
  const { organization } = terms;
  await lockOrganizations(db, organization);
  const { allowed } = await db
    .selectFrom('organization')
    .select('invite_links as allowed')
    .where('id', '=', organization)
    .executeTakeFirstOrThrow();
  // guard: invite-links-made
  if (!allowed)
    throw new DomainError('conflict', 'Invite links are turned off in this organization (inviteLinks).');
  await requireTeam(db, organization, terms.team);
  if (content && !(await invitedContent(db, organization, content))) throw notFound(content.kind);
  const secret = newSecret(24);
  const row = {
    ...newRow(terms, role),
    // guard: invite-hashed
    hash: hashSecret(secret),
    single_use: singleUse,
    space_id: content?.kind === 'space' ? content.id : null,
    collection_id: content?.kind === 'collection' ? content.id : null,
    level: content?.level ?? null,
  };
  await removeExpired(db, organization);
  await db.insertInto('invite').values(row).execute();
  await requireWithinLimit(db, organization, 'hash', MAX_LINKS);
  recordEvent(em, { type: 'invite.created', organization, invite: row.id });
  return { id: row.id, secret };
}

/** The terms of an invite link that can be changed; those that are undefined stay. */
interface LinkChanges {
  role?: Role | null | undefined;
  level?: Role | undefined;
  team?: string | null | undefined;
  expiresAt?: string | null | undefined;
}

/**
 * Changes what an invite link grants to those who join from now on.
 * @throws DomainError `not-found` for the invite or the team, `invalid` for the level of a link to no content
 */
export async function updateLinkInvite(
  em: SqlEntityManager,
  organization: string,
  id: string,
  { role, level, team, expiresAt }: LinkChanges,
): Promise<void> {
  const db = kyselyOf(em);
  await lockOrganizations(db, organization);
  const invite = await em.findOne(Invite, { id, organization, hash: { $ne: null } });
  if (!invite) throw notFound('invite');
  if (level !== undefined && !invite.level) throw levelWithoutContent();
  await requireTeam(db, organization, team);
  if (role !== undefined) invite.role = role;
  if (level !== undefined) invite.level = level;
  if (team !== undefined) invite.team = team;
  if (expiresAt !== undefined) invite.expiresAt = expiresAt === null ? null : new Date(expiresAt);
  await em.flush();
  recordEvent(em, { type: 'invite.updated', organization, invite: id });
}

/**
 * Revokes an invite by e-mail or an invite link.
 * @throws DomainError `not-found`
 */
export async function revokeInvite(
  em: SqlEntityManager,
  organization: string,
  id: string,
  kind: 'email' | 'hash',
): Promise<void> {
  // Waits for those who are just accepting it: once this returns, nobody joins with it.
  await lockOrganizations(kyselyOf(em), organization);
  const deletion = kyselyOf(em)
    .deleteFrom('invite')
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .where(kind, 'is not', null);
  if ((await deletion.executeTakeFirstOrThrow()).numDeletedRows === 0n) throw notFound('invite');
  recordEvent(em, { type: 'invite.deleted', organization, invite: id });
}

export const levelWithoutContent = () =>
  new DomainError('invalid', 'A level needs a space or a collection.', [
    { path: 'level', message: 'needs `space` or `collection`' },
  ]);

const newRow = ({ organization, team, expiresAt }: Terms, role: Role | null) => ({
  id: newId(),
  organization_id: organization,
  role,
  team_id: team ?? null,
  expires_at: expiresAt === undefined ? null : new Date(expiresAt),
  created_at: new Date(),
});

/** Removes expired invites, which nobody can accept, so that they do not count. */
const removeExpired = (db: Db, organization: string) =>
  db
    .deleteFrom('invite')
    .where('organization_id', '=', organization)
    .where('expires_at', '<=', new Date())
    .execute();

/** @throws DomainError `conflict` if an organization has more than `max` invites of a kind */
async function requireWithinLimit(
  db: Db,
  organization: string,
  kind: 'email' | 'hash',
  max: number,
): Promise<void> {
  const { count } = await db
    .selectFrom('invite')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('organization_id', '=', organization)
    .where(kind, 'is not', null)
    .executeTakeFirstOrThrow();
  // guard: invite-link-limit
  if (Number(count) <= max) return;
  const what = kind === 'email' ? 'pending invites' : 'invite links';
  throw new DomainError('conflict', `An organization can have at most ${max} ${what}.`);
}
