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

/** The origin of everyone's level is the organization, whether it is their role or a grant. */
const UserSitePermissionObject = UserPermissionObject.extend({
  origin: z
    .object({
      type: z.literal('organization').describe('The type of object that the permission comes from.'),
      organization: z.string().describe('The id of the organization.'),
    })
    .describe('The object that the permission comes from.'),
  disabled: z.literal(false).describe('Always false: disabled users have no access and are not listed.'),
}).meta({ id: 'UserSitePermission', description: "A user's role on a site." });

const listAccess: Omit<typeof list, 'output' | 'resolve'> & {
  output: ReturnType<typeof listOf<typeof UserSitePermissionObject>>;
  resolve: (
    ...parameters: Parameters<typeof list.resolve>
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
        description: 'Users and teams that already have a role on the site get the new one instead.',
        success: 204,
      }),
      list: route.get(
        `${permissions}/aggregate`,
        'List everyone who can access a site',
        'listPermissionsAggregateInSite',
        {
          description:
            'Returns the effective level of each, from their role, their teams and all permissions granted to them.',
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
        { description: 'Lists the users with a role on the site itself.' },
      ),
      update: route.patch(
        `${permissions}/users/{userId}`,
        "Set a user's level on a site",
        'updateUserPermissionInSite',
        { description: "Replaces the user's role on the site.", success: 204 },
      ),
      remove: route.delete(
        `${permissions}/users/{userId}`,
        'Remove a user from a site',
        'removeUserFromSite',
        { description: 'Removes the role on the site; access through the organization remains.' },
      ),
    }),
  ),
  teams: router(
    mount(administration, teamPermissionHandlers, {
      list: route.get(
        `${permissions}/teams`,
        'List the teams invited to a site',
        'listTeamPermissionsInSite',
        { description: 'Lists the teams with a role on the site itself.' },
      ),
      update: route.patch(
        `${permissions}/teams/{teamId}`,
        "Set a team's level on a site",
        'updateTeamPermissionInSite',
        { description: "Replaces the team's role on the site.", success: 204 },
      ),
      remove: route.delete(
        `${permissions}/teams/{teamId}`,
        'Remove a team from a site',
        'removeTeamFromSite',
        { description: 'Removes the role on the site; access through the organization remains.' },
      ),
    }),
  ),
});
