import { sql } from 'kysely';
import { Team } from '../../schema/entities/team.ts';
import type { TeamRole } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import { credentialCovers, ssoRequired } from '../access/credential-coverage.ts';
import { type CountViewer, isCountedSpace } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { countAccessibleSpaces } from './members.query.ts';

/**
 * What `presentTeam` needs besides the columns of a team, for a query that has `team`:
 * `db.selectFrom('team').select(columnsOf(Team)).select(derivedTeamColumns(organization, viewer))`.
 */
export const derivedTeamColumns = (organization: string, viewer: CountViewer) => [
  sql<number>`(select count(*)::int from team_member where team_member.team_id = team.id)`.as('members'),
  countAccessibleSpaces(
    sql`select space_id, collection_id from permission where permission.team_id = team.id`,
    isCountedSpace(viewer, organization),
  ).as('spaces'),
  sql<TeamRole | null>`(
    select own.role from team_member own where own.team_id = team.id and own.user_id = ${viewer.userId})`.as(
    'ownRole',
  ),
];

/** The teams that a member may manage, as a condition on `team`: the rule of `teamPermissions`, for any user. */
export const isManagedBy = (userId: string) => sql<boolean>`exists (
  select from member left join team_member on team_member.team_id = team.id and team_member.user_id = member.user_id
  where member.organization_id = team.organization_id and member.user_id = ${userId} and not member.disabled
    and (member.role = 'admin' or team_member.role = 'owner'))`;

/** A team with the caller's roles in it and in the organization; undefined unless they are an enabled member with access. */
export async function loadTeam(db: Db, actor: Actor, organization: string, teamId: string) {
  const row = await db
    .selectFrom('member')
    // guard: organization-of-team
    .innerJoin('team', 'team.organization_id', 'member.organization_id')
    .select(columnsOf(Team))
    .select(derivedTeamColumns(organization, { userId: actor.user.id }))
    .select(['member.role as callerRole', 'member.sso as callerSso', ssoRequired().as('ssoRequired')])
    .where('member.organization_id', '=', organization)
    .where('member.user_id', '=', actor.user.id)
    .where('member.disabled', '=', false)
    .where('team.id', '=', teamId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { callerSso, ssoRequired: isSsoRequired, ...team } = row;
  return credentialCovers(actor, { organization, ssoRequired: isSsoRequired, sso: callerSso })
    ? team
    : undefined;
}
