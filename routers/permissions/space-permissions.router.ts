import { spaceProcedure } from '../access/procedures.ts';
import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { route } from '../spaces/route.ts';
import {
  permissionHandlers,
  teamPermissionHandlers,
  userPermissionHandlers,
} from './permissions.handlers.ts';

/** Only admins may view who has access. */
const administration = spaceProcedure('admin').use(({ ctx, next }) =>
  next({ ctx: { content: { ...ctx.space, kind: 'space' as const } } }),
);

export const spacePermissionsRouter = router({
  ...mount(administration, permissionHandlers, {
    invite: route.post(
      '/spaces/{spaceId}/permissions',
      'Invite users and teams to a space',
      'inviteToSpace',
      {
        description: 'Users and teams that already have a role here get the new one instead.',
        success: 204,
      },
    ),
    list: route.get(
      '/spaces/{spaceId}/permissions/aggregate',
      'List everyone who can access a space',
      'listPermissionsAggregateInSpace',
      {
        description:
          'Returns the effective level of each, from their role, their teams and all permissions granted to them.',
      },
    ),
  }),
  users: router(
    mount(administration, userPermissionHandlers, {
      list: route.get(
        '/spaces/{spaceId}/permissions/users',
        'List the users invited to a space',
        'listUserPermissionsInSpace',
        {
          description:
            'Lists the roles given to users on the space itself, without those that come from teams, collections or default levels.',
        },
      ),
      update: route.patch(
        '/spaces/{spaceId}/permissions/users/{userId}',
        "Set a user's level on a space",
        'updateUserPermissionInSpace',
        { description: 'Replaces the role granted to the user here.', success: 204 },
      ),
      remove: route.delete(
        '/spaces/{spaceId}/permissions/users/{userId}',
        'Remove a user from a space',
        'removeUserFromSpace',
        {
          description:
            'Removes the role granted here; access through teams, collections or default levels remains.',
        },
      ),
    }),
  ),
  teams: router(
    mount(administration, teamPermissionHandlers, {
      list: route.get(
        '/spaces/{spaceId}/permissions/teams',
        'List the teams invited to a space',
        'listTeamPermissionsInSpace',
        { description: 'Lists the teams with a role on the space itself.' },
      ),
      update: route.patch(
        '/spaces/{spaceId}/permissions/teams/{teamId}',
        "Set a team's level on a space",
        'updateTeamPermissionInSpace',
        { description: 'Replaces the role granted to the team here.', success: 204 },
      ),
      remove: route.delete(
        '/spaces/{spaceId}/permissions/teams/{teamId}',
        'Remove a team from a space',
        'removeTeamFromSpace',
        { description: 'Removes the role granted here; access through collections remains.' },
      ),
    }),
  ),
});
