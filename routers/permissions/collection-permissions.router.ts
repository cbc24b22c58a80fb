import { collectionProcedure } from '../access/procedures.ts';
import { route } from '../route.ts';
import { router } from '../trpc.ts';
import * as permissions from './permissions.handlers.ts';

const permissionsProcedure = (permission: 'admin' | 'listAccess') =>
  collectionProcedure(permission).use(({ ctx, next }) =>
    next({ ctx: { content: { ...ctx.collection, kind: 'collection' as const } } }),
  );
const administration = permissionsProcedure('admin');
/** Who has access is shown to those who decide about it. */
const inspection = permissionsProcedure('listAccess');

export const collectionPermissionsRouter = router({
  invite: administration
    .meta(
      route(
        'POST /collections/{collectionId}/permissions',
        'Collections',
        'Invite users and teams to a collection',
        {
          operationId: 'inviteToCollection',
          description: 'Those who have a level of their own there already get this one instead.',
          success: 204,
        },
      ),
    )
    .input(permissions.invite.input)
    .output(permissions.invite.output)
    .mutation(({ ctx, input }) => permissions.invite.resolve(ctx, input)),

  list: inspection
    .meta(
      route(
        'GET /collections/{collectionId}/permissions/aggregate',
        'Collections',
        'List everyone who can access a collection',
        {
          operationId: 'listPermissionsAggregateInCollection',
          description: 'With the level that their role, their teams and all that is given to them come to.',
        },
      ),
    )
    .input(permissions.listAccess.input)
    .output(permissions.listAccess.output)
    .query(({ ctx, input }) => permissions.listAccess.resolve(ctx, input)),

  users: router({
    list: inspection
      .meta(
        route(
          'GET /collections/{collectionId}/permissions/users',
          'Collections',
          'List the users invited to a collection',
          {
            operationId: 'listUserPermissionsInCollection',
          },
        ),
      )
      .input(permissions.listUsers.input)
      .output(permissions.listUsers.output)
      .query(({ ctx, input }) => permissions.listUsers.resolve(ctx, input)),

    update: administration
      .meta(
        route(
          'PATCH /collections/{collectionId}/permissions/users/{userId}',
          'Collections',
          "Set a user's level on a collection",
          {
            operationId: 'updateUserPermissionInCollection',
            success: 204,
          },
        ),
      )
      .input(permissions.updateUser.input)
      .output(permissions.updateUser.output)
      .mutation(({ ctx, input }) => permissions.updateUser.resolve(ctx, input)),

    remove: administration
      .meta(
        route(
          'DELETE /collections/{collectionId}/permissions/users/{userId}',
          'Collections',
          'Remove a user from a collection',
          {
            operationId: 'removeUserFromCollection',
          },
        ),
      )
      .input(permissions.removeUser.input)
      .output(permissions.removeUser.output)
      .mutation(({ ctx, input }) => permissions.removeUser.resolve(ctx, input)),
  }),

  teams: router({
    list: inspection
      .meta(
        route(
          'GET /collections/{collectionId}/permissions/teams',
          'Collections',
          'List the teams invited to a collection',
          {
            operationId: 'listTeamPermissionsInCollection',
          },
        ),
      )
      .input(permissions.listTeams.input)
      .output(permissions.listTeams.output)
      .query(({ ctx, input }) => permissions.listTeams.resolve(ctx, input)),

    update: administration
      .meta(
        route(
          'PATCH /collections/{collectionId}/permissions/teams/{teamId}',
          'Collections',
          "Set a team's level on a collection",
          {
            operationId: 'updateTeamPermissionInCollection',
            success: 204,
          },
        ),
      )
      .input(permissions.updateTeam.input)
      .output(permissions.updateTeam.output)
      .mutation(({ ctx, input }) => permissions.updateTeam.resolve(ctx, input)),

    remove: administration
      .meta(
        route(
          'DELETE /collections/{collectionId}/permissions/teams/{teamId}',
          'Collections',
          'Remove a team from a collection',
          {
            operationId: 'removeTeamFromCollection',
          },
        ),
      )
      .input(permissions.removeTeam.input)
      .output(permissions.removeTeam.output)
      .mutation(({ ctx, input }) => permissions.removeTeam.resolve(ctx, input)),
  }),
});
