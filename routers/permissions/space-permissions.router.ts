import { spaceProcedure } from '../access/procedures.ts';
import { route } from '../route.ts';
import { router } from '../trpc.ts';
import * as permissions from './permissions.handlers.ts';

const permissionsProcedure = (permission: 'admin' | 'listAccess') =>
  spaceProcedure(permission).use(({ ctx, next }) =>
    next({ ctx: { content: { ...ctx.space, kind: 'space' as const } } }),
  );
const administration = permissionsProcedure('admin');
/** Who has access is shown to those who decide about it. */
const inspection = permissionsProcedure('listAccess');

export const spacePermissionsRouter = router({
  invite: administration
    .meta(
      route('POST /spaces/{spaceId}/permissions', 'Spaces', 'Invite users and teams to a space', {
        operationId: 'inviteToSpace',
        description: 'Those who have a level of their own there already get this one instead.',
        success: 204,
      }),
    )
    .input(permissions.invite.input)
    .output(permissions.invite.output)
    .mutation(({ ctx, input }) => permissions.invite.resolve(ctx, input)),

  list: inspection
    .meta(
      route('GET /spaces/{spaceId}/permissions/aggregate', 'Spaces', 'List everyone who can access a space', {
        operationId: 'listPermissionsAggregateInSpace',
        description: 'With the level that their role, their teams and all that is given to them come to.',
      }),
    )
    .input(permissions.listAccess.input)
    .output(permissions.listAccess.output)
    .query(({ ctx, input }) => permissions.listAccess.resolve(ctx, input)),

  users: router({
    list: inspection
      .meta(
        route('GET /spaces/{spaceId}/permissions/users', 'Spaces', 'List the users invited to a space', {
          operationId: 'listUserPermissionsInSpace',
        }),
      )
      .input(permissions.listUsers.input)
      .output(permissions.listUsers.output)
      .query(({ ctx, input }) => permissions.listUsers.resolve(ctx, input)),

    update: administration
      .meta(
        route(
          'PATCH /spaces/{spaceId}/permissions/users/{userId}',
          'Spaces',
          "Set a user's level on a space",
          {
            operationId: 'updateUserPermissionInSpace',
            success: 204,
          },
        ),
      )
      .input(permissions.updateUser.input)
      .output(permissions.updateUser.output)
      .mutation(({ ctx, input }) => permissions.updateUser.resolve(ctx, input)),

    remove: administration
      .meta(
        route('DELETE /spaces/{spaceId}/permissions/users/{userId}', 'Spaces', 'Remove a user from a space', {
          operationId: 'removeUserFromSpace',
        }),
      )
      .input(permissions.removeUser.input)
      .output(permissions.removeUser.output)
      .mutation(({ ctx, input }) => permissions.removeUser.resolve(ctx, input)),
  }),

  teams: router({
    list: inspection
      .meta(
        route('GET /spaces/{spaceId}/permissions/teams', 'Spaces', 'List the teams invited to a space', {
          operationId: 'listTeamPermissionsInSpace',
        }),
      )
      .input(permissions.listTeams.input)
      .output(permissions.listTeams.output)
      .query(({ ctx, input }) => permissions.listTeams.resolve(ctx, input)),

    update: administration
      .meta(
        route(
          'PATCH /spaces/{spaceId}/permissions/teams/{teamId}',
          'Spaces',
          "Set a team's level on a space",
          {
            operationId: 'updateTeamPermissionInSpace',
            success: 204,
          },
        ),
      )
      .input(permissions.updateTeam.input)
      .output(permissions.updateTeam.output)
      .mutation(({ ctx, input }) => permissions.updateTeam.resolve(ctx, input)),

    remove: administration
      .meta(
        route('DELETE /spaces/{spaceId}/permissions/teams/{teamId}', 'Spaces', 'Remove a team from a space', {
          operationId: 'removeTeamFromSpace',
        }),
      )
      .input(permissions.removeTeam.input)
      .output(permissions.removeTeam.output)
      .mutation(({ ctx, input }) => permissions.removeTeam.resolve(ctx, input)),
  }),
});
