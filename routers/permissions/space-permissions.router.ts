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
        description: 'Users and teams that were already invited get the new level instead.',
        success: 204,
      },
    ),
    list: route.get(
      '/spaces/{spaceId}/permissions/aggregate',
      'List everyone who can access a space',
      'listPermissionsAggregateInSpace',
      {
        description:
          'With the effective level from their role, their teams and all permissions granted to them.',
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
            'Lists direct invitations; roles that come from teams, collections or default levels are not among them.',
        },
      ),
      update: route.patch(
        '/spaces/{spaceId}/permissions/users/{userId}',
        "Set a user's level on a space",
        'updateUserPermissionInSpace',
        { description: 'Replaces the role that the user was given here.', success: 204 },
      ),
      remove: route.delete(
        '/spaces/{spaceId}/permissions/users/{userId}',
        'Remove a user from a space',
        'removeUserFromSpace',
        {
          description:
            'Takes away the role given here; what comes from teams, collections or default levels remains.',
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
        { description: 'Lists the teams that were given a role on this space itself.' },
      ),
      update: route.patch(
        '/spaces/{spaceId}/permissions/teams/{teamId}',
        "Set a team's level on a space",
        'updateTeamPermissionInSpace',
        { description: 'Replaces the role that the team was given here.', success: 204 },
      ),
      remove: route.delete(
        '/spaces/{spaceId}/permissions/teams/{teamId}',
        'Remove a team from a space',
        'removeTeamFromSpace',
        { description: 'Takes away the role given here; what comes from collections remains.' },
      ),
    }),
  ),
});
