import { z } from 'zod';
import { siteAncestry } from '../access/load.query.ts';
import { siteProcedure } from '../access/procedures.ts';
import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { UserPermissionObject } from '../permissions/permissions.api.ts';
import {
  permissionHandlers,
  teamPermissionHandlers,
  userPermissionHandlers,
} from '../permissions/permissions.handlers.ts';
import { type List, listOf } from '../sql/pagination.ts';
import { route } from './route.ts';

const { invite, list } = permissionHandlers;

/** Everyone's level comes from their role or from a grant, both of the organization. */
const UserSitePermissionObject = UserPermissionObject.extend({
  origin: z
    .object({
      type: z.literal('organization').describe('What gives the permission.'),
      organization: z.string().describe('The id of the organization.'),
    })
    .describe('Where the permission comes from.'),
  disabled: z.literal(false).describe('Disabled users have no access.'),
}).meta({ id: 'UserSitePermission', description: 'A role that a user has on a site.' });

const listAccess: Omit<typeof list, 'output' | 'resolve'> & {
  output: ReturnType<typeof listOf<typeof UserSitePermissionObject>>;
  resolve: (
    ...given: Parameters<typeof list.resolve>
  ) => Promise<List<z.infer<typeof UserSitePermissionObject>>>;
} = {
  ...list,
  output: listOf(UserSitePermissionObject),
  async resolve(ctx, input) {
    const page = await list.resolve(ctx, input);
    const origin = { type: 'organization' as const, organization: ctx.content.organization };
    return { ...page, items: page.items.map((item) => ({ ...item, origin, disabled: false as const })) };
  },
};

/** Only admins may view who has access. */
const administration = siteProcedure('admin').use(({ ctx, next }) => {
  const { organization } = ctx.site;
  return next({ ctx: { content: { ...siteAncestry(ctx.site), organization, kind: 'site' as const } } });
});

const permissions = '/orgs/{organizationId}/sites/{siteId}/permissions';

export const sitePermissionsRouter = router({
  ...mount(
    administration,
    { invite, list: listAccess },
    {
      invite: route.post(permissions, 'Invite users and teams to a site', 'inviteToSite', {
        description: 'Users and teams that were already invited get the new level instead.',
        success: 204,
      }),
      list: route.get(
        `${permissions}/aggregate`,
        'List everyone who can access a site',
        'listPermissionsAggregateInSite',
        {
          description:
            'With the effective level from their role, their teams and all permissions granted to them.',
        },
      ),
    },
  ),
  users: router(
    mount(administration, userPermissionHandlers, {
      list: route.get(
        `${permissions}/users`,
        'List the users invited to a site',
        'listUserPermissionsInSite',
        { description: 'Lists who was given a role on this site itself.' },
      ),
      update: route.patch(
        `${permissions}/users/{userId}`,
        "Set a user's level on a site",
        'updateUserPermissionInSite',
        { description: 'Replaces the role that the user was given here.', success: 204 },
      ),
      remove: route.delete(
        `${permissions}/users/{userId}`,
        'Remove a user from a site',
        'removeUserFromSite',
        { description: 'Takes away the role given here; what comes from the organization remains.' },
      ),
    }),
  ),
  teams: router(
    mount(administration, teamPermissionHandlers, {
      list: route.get(
        `${permissions}/teams`,
        'List the teams invited to a site',
        'listTeamPermissionsInSite',
        { description: 'Lists the teams that were given a role on this site itself.' },
      ),
      update: route.patch(
        `${permissions}/teams/{teamId}`,
        "Set a team's level on a site",
        'updateTeamPermissionInSite',
        { description: 'Replaces the role that the team was given here.', success: 204 },
      ),
      remove: route.delete(
        `${permissions}/teams/{teamId}`,
        'Remove a team from a site',
        'removeTeamFromSite',
        { description: 'Takes away the role given here; what comes from the organization remains.' },
      ),
    }),
  ),
});
