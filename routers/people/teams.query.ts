import { sql } from 'kysely';
import type { TeamRole } from '../../schema/enums.ts';
import { spacesReached } from './members.query.ts';

/**
 * What `presentTeam` shows beyond the columns of a team, for a query that has `team`:
 * `db.selectFrom('team').select(columnsOf(Team)).select(teamFacts(callerId))`.
 */
export const teamFacts = (callerId: string) => [
  sql<number>`(select count(*)::int from team_member where team_member.team_id = team.id)`.as('members'),
  spacesReached(sql`select space_id, collection_id from permission where permission.team_id = team.id`).as(
    'spaces',
  ),
  sql<TeamRole | null>`(
    select own.role from team_member own where own.team_id = team.id and own.user_id = ${callerId})`.as(
    'ownRole',
  ),
];

/** The teams that a member may manage, as a condition on `team`: the rule of `teamPermissions`, for any user. */
export const managedBy = (userId: string) => sql<boolean>`exists (
  select from member left join team_member on team_member.team_id = team.id and team_member.user_id = member.user_id
  where member.organization_id = team.organization_id and member.user_id = ${userId} and not member.disabled
    and (member.role = 'admin' or team_member.role = 'owner'))`;
