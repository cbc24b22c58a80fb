import { z } from 'zod';
import { Team } from '../../schema/entities/team.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { contains } from './members.query.ts';
import { teamsRoute } from './route.ts';
import { changeTeamMembers } from './team-members.operation.ts';
import { presentTeam, TeamObject } from './teams.api.ts';
import { teamProcedure } from './teams.procedures.ts';
import { derivedTeamColumns, isManagedBy } from './teams.query.ts';

const Title = text({ min: 1, max: 64 });

export const teamsRouter = router({
  list: organizationProcedure('listTeams')
    .meta(
      teamsRoute.get(
        '/orgs/{organizationId}/teams',
        'List the teams of an organization',
        'listTeamsInOrganizationById',
        { description: 'Lists the teams, newest first, with the number of their members.' },
      ),
    )
    .input(
      z.object({
        ...paging,
        owner: z.string().optional().describe('The id of a member: lists only teams that they may manage.'),
        title: text({ max: 64 })
          .optional()
          .describe('Lists only teams whose title contains this text, ignoring case.'),
      }),
    )
    .output(listOf(TeamObject))
    .query(async ({ ctx, input }) => {
      const { organizationId, owner, title } = input;
      let listed = ctx.db.selectFrom('team').where('team.organization_id', '=', organizationId);
      if (owner !== undefined) listed = listed.where(isManagedBy(owner));
      if (title) listed = listed.where(contains('team.title', title));
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(Team)).select(derivedTeamColumns(organizationId, ctx.viewer)),
        order: [{ column: 'team.id', direction: 'desc', of: (row) => row.id }],
        present: (team) => presentTeam(team, ctx.viewer),
      });
    }),

  create: organizationProcedure('ownTeam')
    .meta(
      teamsRoute.put('/orgs/{organizationId}/teams', 'Create a team', 'createOrganizationTeam', {
        description: 'The given members are added to the team.',
        success: 201,
      }),
    )
    .input(
      z.object({
        title: Title.describe('The title, as shown to users.'),
        members: z
          .array(z.string())
          .max(1000)
          .optional()
          .describe('The ids or e-mail addresses of the initial members.'),
      }),
    )
    .output(TeamObject)
    .mutation(async ({ ctx, input: { organizationId, title, members = [] } }) => {
      const team = ctx.em.create(Team, { organization: organizationId, title });
      await ctx.em.flush();
      recordEvent(ctx.em, { type: 'team.created', organization: organizationId, team: team.id });
      await changeTeamMembers(ctx.em, team, { put: members.map((member) => [member, undefined]) });
      const derived = await ctx.db
        .selectFrom('team')
        .select(derivedTeamColumns(organizationId, ctx.viewer))
        .where('team.id', '=', team.id)
        .executeTakeFirstOrThrow();
      return presentTeam({ ...team, ...derived }, ctx.viewer);
    }),

  get: teamProcedure('view')
    .meta(
      teamsRoute.get('/orgs/{organizationId}/teams/{teamId}', 'Get a team', 'getTeamInOrganizationById', {
        description: 'Returns the title of the team, and the number of its members.',
      }),
    )
    .output(TeamObject)
    .query(({ ctx }) => presentTeam(ctx.team, ctx.viewer)),

  update: teamProcedure('admin')
    .meta(
      teamsRoute.patch(
        '/orgs/{organizationId}/teams/{teamId}',
        'Rename a team',
        'updateTeamInOrganizationById',
        { description: 'Changes the title; members and permissions stay.' },
      ),
    )
    .input(z.object({ title: Title.describe('The title, as shown to users.') }))
    .output(TeamObject)
    .mutation(async ({ ctx, input: { organizationId: organization, teamId, title } }) => {
      const renamed = ctx.db.updateTable('team').set({ title }).where('id', '=', teamId);
      if ((await renamed.executeTakeFirstOrThrow()).numUpdatedRows === 0n) throw notFound('team');
      if (title !== ctx.team.title) recordEvent(ctx.em, { type: 'team.updated', organization, team: teamId });
      return presentTeam({ ...ctx.team, title }, ctx.viewer);
    }),

  delete: teamProcedure('admin')
    .meta(
      teamsRoute.delete(
        '/orgs/{organizationId}/teams/{teamId}',
        'Delete a team',
        'removeTeamFromOrganizationById',
        { description: 'Also deletes its permissions; its members stay in the organization.' },
      ),
    )
    .output(Removal)
    .mutation(async ({ ctx }) => {
      const { id, organization } = ctx.team;
      const removed = await deleteRows(ctx.db, 'team', { id });
      if (removed > 0) recordEvent(ctx.em, { type: 'team.deleted', organization, team: id });
      return { removed: removed > 0 };
    }),
});
