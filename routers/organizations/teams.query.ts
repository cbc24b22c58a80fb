import { sql } from 'kysely';
import { Team } from '../../schema/entities/team.ts';
import type { TeamRole } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Db } from '../context.ts';
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

/** The teams of an organization, as `presentTeam` takes them. */
export const teamRows = (db: Db, organizationId: string, callerId: string) =>
  db
    .selectFrom('team')
    .select(columnsOf(Team))
    .select(teamFacts(callerId))
    .where('team.organization_id', '=', organizationId);
