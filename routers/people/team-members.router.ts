import { z } from 'zod';
import { TEAM_ROLES, type TeamRole } from '../../schema/enums.ts';
import { isId } from '../../schema/json/id.ts';
import { Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { mayListMembers } from './access.ts';
import { memberColumns, membersOf } from './members.query.ts';
import { teamsRoute } from './route.ts';
import { presentTeamMember, TeamMemberObject } from './team-members.api.ts';
import { changeTeamMembers } from './team-members.operation.ts';
import { TeamMembershipObject } from './teams.api.ts';
import { teamProcedure } from './teams.procedures.ts';

/** The maximum of users in each list of a request. */
const MAX_NAMES = 1000;
const Names = z.array(z.string()).max(MAX_NAMES).describe('Ids or e-mail addresses of users.');

export const teamMembersRouter = router({
  list: teamProcedure('view')
    .meta(
      teamsRoute.get(
        '/orgs/{organizationId}/teams/{teamId}/members',
        'List the members of a team',
        'listTeamMembersInOrganizationById',
        { description: 'Lists the members with their role in the team.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(TeamMemberObject))
    .query(async ({ ctx, input }) => {
      const { db, viewer } = ctx;
      const { organizationId, teamId } = input;
      const listed = membersOf(db, organizationId)
        .innerJoin('team_member as place', 'place.user_id', 'member.user_id')
        .where('place.team_id', '=', teamId);
      return readPage(ctx, input, {
        rows: listed
          .select(memberColumns(organizationId, viewer))
          .select(['place.role as teamRole', 'place.created_at as addedAt']),
        order: [
          { column: 'place.created_at', direction: 'desc', of: (row) => String(row.addedAt) },
          { column: 'place.user_id', direction: 'desc', of: (row) => row.id },
        ],
        present: (row) => presentTeamMember(row, viewer),
      });
    }),

  update: teamProcedure('admin')
    .meta(
      teamsRoute.put(
        '/orgs/{organizationId}/teams/{teamId}/members',
        'Change the members of a team',
        'updateMembersInOrganizationTeam',
        {
          description:
            'A user who is both added and removed is removed. Callers who may not list the members of the organization name users by id.',
          success: 204,
        },
      ),
    )
    .input(
      z.object({
        add: Names.default([]).describe(
          'The ids or e-mail addresses of users to add; those who are in the team keep their role.',
        ),
        memberships: z
          .record(z.string(), TeamMembershipObject)
          .refine((given) => Object.keys(given).length <= MAX_NAMES, {
            error: `must have at most ${MAX_NAMES} members`,
          })
          .default({})
          .describe(
            'Roles in the team, by the id or e-mail address of the user; users not in the team yet are added.',
          ),
        remove: Names.default([]).describe('The ids or e-mail addresses of users to remove.'),
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx, input: { add, memberships, remove } }) => {
      const roles = new Map<string, TeamRole | undefined>(add.map((name) => [name, undefined]));
      for (const [name, { role }] of Object.entries(memberships)) roles.set(name, role);
      // guard: team-member-addresses
      const byIdOnly = !mayListMembers(ctx.viewer);
      await changeTeamMembers(ctx.em, ctx.team, { put: roles, remove, byIdOnly });
    }),

  add: teamProcedure('admin')
    .meta(
      teamsRoute.put(
        '/orgs/{organizationId}/teams/{teamId}/members/{userId}',
        'Add a member to a team',
        'addMemberToOrganizationTeamById',
        { description: 'Without a role, a user already in the team keeps theirs.', success: 204 },
      ),
    )
    .input(
      z.object({
        userId: z.string().describe('The id of the user.'),
        role: z.enum(TEAM_ROLES).optional().describe("The user's role in the team; owners may manage it."),
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx, input: { userId, role } }) => {
      if (!isId(userId)) throw notFound('member');
      await changeTeamMembers(ctx.em, ctx.team, { put: [[userId, role]] });
    }),

  remove: teamProcedure('admin')
    .meta(
      teamsRoute.delete(
        '/orgs/{organizationId}/teams/{teamId}/members/{userId}',
        'Remove a member from a team',
        'deleteMemberFromOrganizationTeamById',
        { description: 'The member loses the permissions granted to the team.' },
      ),
    )
    .input(z.object({ userId: z.string().describe('The id of the user.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { organizationId: organization, teamId: team, userId } }) => {
      const removed = await deleteRows(ctx.db, 'team_member', { team_id: team, user_id: userId });
      if (removed === 0) throw notFound('member');
      recordEvent(ctx.em, { type: 'team.members.updated', organization, team });
      return { removed: true };
    }),
});
