import { type RawBuilder, sql } from 'kysely';
import { Member } from '../../schema/entities/member.ts';
import { User } from '../../schema/entities/user.ts';
import { columnsOf } from '../../schema/rows.ts';
import { credentialCovers, ssoRequired } from '../access/credential-coverage.ts';
import { grantedTo, grantsByContent, grantsIn } from '../access/grants.query.ts';
import type { Grants, Membership } from '../access/levels.ts';
import { type CountViewer, isCountedSite, isCountedSpace } from '../access/visible.query.ts';
import { attributeTo } from '../base/caller.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { statement } from '../sql/statement.ts';
import { mayViewMember } from './access.ts';

/** Whether a column contains a text, ignoring case. */
export const contains = (column: string, part: string) =>
  sql<boolean>`strpos(lower(${sql.ref(column)}), lower(${part})) > 0`;

/**
 * The number of spaces, without deleted ones, that some grants give access to, directly or through a collection: the
 * condition of `viewable`, for grants that are not loaded yet.
 * @param grants selects `space_id` and `collection_id` of permissions
 * @param counted which of these spaces are counted, as a condition on `space`
 */
export const countAccessibleSpaces = (
  grants: RawBuilder<unknown>,
  counted: RawBuilder<boolean>,
) => sql<number>`(
  select count(*)::int
  from (
    select
      array_agg(space_id) filter (where space_id is not null) as spaces,
      array_agg(collection_id) filter (where collection_id is not null) as collections
    from (${grants}) as granted
  ) as given
  join space on space.id = any(given.spaces)
    -- The index on ancestors serves their own collation only.
    or space.ancestors && given.collections collate "default"
  where space.deleted_at is null and ${counted})`;

/**
 * How many of the spaces that the viewer may view a member has a level on: the rule of `effectiveLevel`, counted. Parts that
 * are the same for every member do not refer to the member, so that the database counts them once and not for each row.
 */
function spacesOfMember(organizationId: string, viewer: CountViewer): RawBuilder<number> {
  const visible = isCountedSpace(viewer, organizationId);
  const grants = sql`
    select space_id, collection_id from permission
    where organization_id = ${organizationId} and ${grantedTo(sql.ref('member.user_id'))}`;
  const existing = sql`select count(*)::int from space where organization_id = ${organizationId} and deleted_at is null and ${visible}`;
  return sql<number>`(case
    when member.disabled then 0
    when member.role = 'admin' then (${existing})
    when member.role is null then ${countAccessibleSpaces(grants, visible)}
    else (${existing} and effective_default is not null)
      + ${countAccessibleSpaces(grants, sql`space.effective_default is null and ${visible}`)}
    end)`;
}

/** The same for sites, which are in no collections. */
function sitesOfMember(organizationId: string, viewer: CountViewer): RawBuilder<number> {
  const visible = isCountedSite(viewer, organizationId);
  const all = sql`select count(*)::int from site where organization_id = ${organizationId} and ${visible}`;
  const granted = sql`
    select count(distinct permission.site_id)::int
    from permission join site on site.id = permission.site_id
    where permission.organization_id = ${organizationId} and ${visible} and ${grantedTo(sql.ref('member.user_id'))}`;
  return sql<number>`(case
    when member.disabled then 0
    when member.role = 'admin' then (${all})
    when member.role is null then (${granted})
    else (${all} and default_level is not null) + (${granted} and site.default_level is null)
    end)`;
}

/** The counts shown on a member to a viewer, for a query that has `member`. */
const memberCounts = (organizationId: string, viewer: CountViewer) => [
  spacesOfMember(organizationId, viewer).as('spaces'),
  sql<number>`(
    select count(*)::int from team_member join team on team.id = team_member.team_id
    where team_member.user_id = member.user_id and team.organization_id = ${organizationId})`.as('teams'),
  sitesOfMember(organizationId, viewer).as('sites'),
];

/** The columns that `presentMember` needs for a viewer, for a query that has `member` and `user`. */
export const memberColumns = (organizationId: string, viewer: CountViewer) => [
  ...columnsOf(Member),
  ...columnsOf(User),
  ...memberCounts(organizationId, viewer),
];

/** The members of an organization, each with their user. */
export const membersOf = (db: Db, organizationId: string) =>
  db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.user_id')
    .where('member.organization_id', '=', organizationId);

/** A membership of an organization with its grants. */
interface MemberAccess {
  member: Membership;
  grants: Grants;
}

/** A member with the caller's own membership. It has so many subqueries that planning it takes longer than running it. */
const readMember = statement((db, callerId: string, organizationId: string, userId: string) =>
  db
    .selectFrom('member as caller')
    // guard: organization-of-member
    .innerJoin('member', 'member.organization_id', 'caller.organization_id')
    .innerJoin('user', 'user.id', 'member.user_id')
    .select(memberColumns(organizationId, { userId: callerId }))
    .select(['caller.role as callerRole', 'caller.sso as callerSso', ssoRequired('caller').as('ssoRequired')])
    .select((eb) => [
      grantsIn(eb as never, callerId, 'member.organization_id').as('callerGrants'),
      grantsIn(eb as never, userId, 'member.organization_id').as('memberGrants'),
    ])
    .where('caller.organization_id', '=', organizationId)
    .where('caller.user_id', '=', callerId)
    .where('caller.disabled', '=', false)
    .where('member.user_id', '=', userId),
);

/**
 * One member of an organization, with the caller's own membership, in one statement.
 * @returns undefined if the member does not exist or the caller may not view them
 */
export async function loadMember(db: Db, actor: Actor, organizationId: string, userId: string) {
  const callerId = actor.user.id;
  const [row] = await readMember(db, callerId, organizationId, userId);
  if (!row) return undefined;
  const { callerRole, callerGrants, memberGrants, callerSso, ssoRequired: isSsoRequired, ...member } = row;
  if (!credentialCovers(actor, { organization: organizationId, ssoRequired: isSsoRequired, sso: callerSso }))
    return undefined;
  const caller: MemberAccess = { member: { role: callerRole }, grants: grantsByContent(callerGrants) };
  // guard: seen-member-reads
  attributeTo(organizationId);
  const { scope } = actor.credential;
  // guard: member-visibility
  if (!mayViewMember({ userId: callerId, role: callerRole, scope }, userId)) return undefined;
  /** Null for a disabled member. */
  const memberAccess: MemberAccess | null = member.disabled
    ? null
    : { member: { role: member.role }, grants: grantsByContent(memberGrants) };
  return { caller, member, memberAccess };
}
