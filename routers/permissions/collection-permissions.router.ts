import { collectionProcedure } from '../access/procedures.ts';
import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { route } from '../collections/route.ts';
import {
  permissionHandlers,
  teamPermissionHandlers,
  userPermissionHandlers,
} from './permissions.handlers.ts';

/** Only admins may view who has access. */
const administration = collectionProcedure('admin').use(({ ctx, next }) =>
  next({ ctx: { content: { ...ctx.collection, kind: 'collection' as const } } }),
);

export const collectionPermissionsRouter = router({
  ...mount(administration, permissionHandlers, {
    invite: route.post(
      '/collections/{collectionId}/permissions',
      'Invite users and teams to a collection',
      'inviteToCollection',
      {
        description: 'Users and teams that already have a role here get the new one instead.',
        success: 204,
      },
    ),
    list: route.get(
      '/collections/{collectionId}/permissions/aggregate',
      'List everyone who can access a collection',
      'listPermissionsAggregateInCollection',
      {
        description:
          'Returns the effective level of each, from their role, their teams and all permissions granted to them.',
      },
    ),
  }),
  users: router(
    mount(administration, userPermissionHandlers, {
      list: route.get(
        '/collections/{collectionId}/permissions/users',
        'List the users invited to a collection',
        'listUserPermissionsInCollection',
        {
          description:
            'Lists the roles given to users on the collection itself, without those that come from teams, collections above or default levels.',
        },
      ),
      update: route.patch(
        '/collections/{collectionId}/permissions/users/{userId}',
        "Set a user's level on a collection",
        'updateUserPermissionInCollection',
        { description: 'Replaces the role granted to the user here.', success: 204 },
      ),
      remove: route.delete(
        '/collections/{collectionId}/permissions/users/{userId}',
        'Remove a user from a collection',
        'removeUserFromCollection',
        {
          description:
            'Takes away the role given here; what comes from teams, collections above or default levels remains.',
        },
      ),
    }),
  ),
  teams: router(
    mount(administration, teamPermissionHandlers, {
      list: route.get(
        '/collections/{collectionId}/permissions/teams',
        'List the teams invited to a collection',
        'listTeamPermissionsInCollection',
        { description: 'Lists the teams with a role on the collection itself.' },
      ),
      update: route.patch(
        '/collections/{collectionId}/permissions/teams/{teamId}',
        "Set a team's level on a collection",
        'updateTeamPermissionInCollection',
        { description: 'Replaces the role granted to the team here.', success: 204 },
      ),
      remove: route.delete(
        '/collections/{collectionId}/permissions/teams/{teamId}',
        'Remove a team from a collection',
        'removeTeamFromCollection',
        { description: 'Removes the role granted here; access through collections above remains.' },
      ),
    }),
  ),
});
