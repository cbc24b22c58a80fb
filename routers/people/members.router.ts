import { z } from 'zod';
import { Space } from '../../schema/entities/space.ts';
import { Team } from '../../schema/entities/team.ts';
import { ROLES, type Role } from '../../schema/enums.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { levelOn } from '../access/levels.ts';
import { publishedPlaceFor } from '../access/load.query.ts';
import { organizationProcedure } from '../access/procedures.ts';
import type { Viewer } from '../access/viewer.ts';
import { viewable } from '../access/visible.query.ts';
import { NullableRole, Removal, RoleSchema } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { presentSpace, SpaceObject } from '../spaces/spaces.api.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { signMemberClaims } from './member-claims.ts';
import { MemberObject, presentMember } from './members.api.ts';
import { changeRole, markSso, removeMember, setDisabled } from './members.operation.ts';
import { memberProcedure } from './members.procedures.ts';
import { contains, memberColumns, membersOf } from './members.query.ts';
import { membersRoute } from './route.ts';
import { presentTeam, TeamMembershipObject, TeamObject } from './teams.api.ts';
import { derivedTeamColumns } from './teams.query.ts';

const Order = z.enum(['asc', 'desc']).default('desc');
const SORTS = { joinedAt: 'member.joined_at', lastSeenAt: 'member.last_seen_at' } as const;

/** Presents a member after a change. */
async function readMember(db: Db, viewer: Viewer, organizationId: string, userId: string) {
  const row = await membersOf(db, organizationId)
    .where('member.user_id', '=', userId)
    .select(memberColumns(organizationId, viewer))
    .executeTakeFirst();
  if (!row) throw notFound('member');
  return presentMember(row, viewer);
}

export const membersRouter = router({
  list: organizationProcedure('listMembers')
    .meta(
      membersRoute.get(
        '/orgs/{organizationId}/members',
        'List the members of an organization',
        'listMembersInOrganizationById',
        { description: 'Sorted by the time that they joined, latest first, by default.' },
      ),
    )
    .input(
      z.object({
        ...paging,
        order: Order.describe('The sort order: ascending or descending.'),
        role: z
          .enum([...ROLES, 'guest'])
          .optional()
          .describe('Lists only members with this role.'),
        search: text({ max: 255 })
          .optional()
          .describe(
            'Lists only members whose display name or e-mail address contains this text, ignoring case.',
          ),
        sort: z
          .enum(['joinedAt', 'lastSeenAt'])
          .default('joinedAt')
          .describe('The field to sort by; `lastSeenAt` lists only members who have been seen.'),
      }),
    )
    .output(listOf(MemberObject))
    .query(async ({ ctx, input }) => {
      const { organizationId, order, role, search, sort } = input;
      let listed = membersOf(ctx.db, organizationId);
      if (role === 'guest') listed = listed.where('member.role', 'is', null);
      else if (role) listed = listed.where('member.role', '=', role);
      if (search)
        listed = listed.where((eb) =>
          eb.or([contains('user.display_name', search), contains('user.email', search)]),
        );
      if (sort === 'lastSeenAt') listed = listed.where('member.last_seen_at', 'is not', null);
      return readPage(ctx, input, {
        rows: listed.select(memberColumns(organizationId, ctx.viewer)),
        order: [
          { column: SORTS[sort], direction: order, of: (row) => String(row[sort]) },
          { column: 'member.user_id', direction: order, of: (row) => row.id },
        ],
        present: (row) => presentMember(row, ctx.viewer),
      });
    }),

  get: memberProcedure
    .meta(
      membersRoute.get(
        '/orgs/{organizationId}/members/{userId}',
        'Get a member of an organization',
        'getMemberInOrganizationById',
        { description: 'Returns the role of the member, and when they were last seen.' },
      ),
    )
    .output(MemberObject)
    .query(({ ctx }) => presentMember(ctx.member, ctx.viewer)),

  listSpaces: memberProcedure
    .meta(
      membersRoute.get(
        '/orgs/{organizationId}/members/{userId}/spaces',
        'List the spaces of a member',
        'listSpacesForOrganizationMember',
        {
          description:
            'Lists only spaces that the caller may view too, each with the level of the member on it.',
        },
      ),
    )
    .input(z.object({ ...paging, order: Order.describe('The sort order: ascending or descending.') }))
    .output(
      listOf(
        z.object({
          permission: RoleSchema.describe("The member's level on the space."),
          space: SpaceObject.describe('The space.'),
        }),
      ),
    )
    .query(async ({ ctx, input }) => {
      const { db, viewer, caller, memberAccess } = ctx;
      if (!memberAccess) return { count: 0, items: [] };
      const common = db
        .selectFrom('space')
        .where('space.organization_id', '=', input.organizationId)
        .where('space.deleted_at', 'is', null)
        .where(viewable('space', caller.member, [...caller.grants.keys()]))
        .where(viewable('space', memberAccess.member, [...memberAccess.grants.keys()]));
      return readPage(ctx, input, {
        rows: common.select(columnsOf(Space)).select(publishedPlaceFor(ctx.actor.user.id)),
        order: [{ column: 'space.id', direction: input.order, of: (row) => row.id }],
        present: (space) => ({
          // Never null: the condition excludes spaces that the member may not view.
          permission: levelOn(memberAccess.member, memberAccess.grants, space) as Role,
          space: presentSpace(space, levelOn(caller.member, caller.grants, space), viewer, space.published),
        }),
      });
    }),

  listTeams: memberProcedure
    .meta(
      membersRoute.get(
        '/orgs/{organizationId}/members/{userId}/teams',
        'List the teams of a member',
        'listTeamsForOrganizationMember',
        { description: "Lists the teams with the member's role in each." },
      ),
    )
    .input(
      z.object({
        ...paging,
        title: text({ max: 64 })
          .optional()
          .describe('Lists only teams whose title contains this text, ignoring case.'),
      }),
    )
    .output(
      listOf(
        z.object({
          team: TeamObject.describe('The team.'),
          member: TeamMembershipObject.describe('The membership in the team.'),
        }),
      ),
    )
    .query(async ({ ctx, input }) => {
      const { db, viewer, member } = ctx;
      let listed = db
        .selectFrom('team_member as membership')
        .innerJoin('team', 'team.id', 'membership.team_id')
        .where('team.organization_id', '=', input.organizationId)
        .where('membership.user_id', '=', member.id);
      if (input.title) listed = listed.where(contains('team.title', input.title));
      return readPage(ctx, input, {
        rows: listed
          .select(columnsOf(Team))
          .select(derivedTeamColumns(input.organizationId, viewer))
          .select('membership.role as membershipRole'),
        order: [{ column: 'team.id', direction: 'desc', of: (row) => row.id }],
        present: ({ membershipRole, ...team }) => ({
          team: presentTeam(team, viewer),
          member: { role: membershipRole },
        }),
      });
    }),

  update: organizationProcedure('admin')
    .meta(
      membersRoute.patch(
        '/orgs/{organizationId}/members/{userId}',
        'Change the role of a member, or disable them',
        'updateMemberInOrganizationById',
        {
          description:
            'A null role makes the member a guest. A disabled member keeps their permissions and teams but has no access, with any token or session, until they are enabled again. The last admin can neither be disabled nor get another role.',
        },
      ),
    )
    .input(
      z.object({
        userId: z.string().describe('The id of the user.'),
        role: NullableRole.optional().describe(
          "The member's new role, strongest first: admin, create, review, edit, comment, read; null for guests.",
        ),
        disabled: z
          .boolean()
          .optional()
          .describe('Whether the member is disabled, without any access to the organization.'),
      }),
    )
    .output(MemberObject)
    .mutation(async ({ ctx, input: { organizationId, userId, role, disabled } }) => {
      const key = { organization: organizationId, user: userId };
      if (role !== undefined) await changeRole(ctx.em, key, role);
      if (disabled !== undefined) await setDisabled(ctx.em, key, disabled);
      await ctx.em.flush();
      return readMember(ctx.db, ctx.viewer, organizationId, userId);
    }),

  remove: organizationProcedure('admin')
    .meta(
      membersRoute.delete(
        '/orgs/{organizationId}/members/{userId}',
        'Remove a member from an organization',
        'removeMemberFromOrganizationById',
        {
          description:
            'Also removes their permissions, team memberships, review requests and rights to bypass merge rules there. The last admin cannot be removed.',
        },
      ),
    )
    .input(z.object({ userId: z.string().describe('The id of the user.') }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      await removeMember(ctx.em, { organization: input.organizationId, user: input.userId });
      return { removed: true };
    }),

  setSso: organizationProcedure('admin')
    .meta(
      membersRoute.post(
        '/orgs/{organizationId}/members/{userId}/sso',
        'Mark a member as signing in with SSO',
        'setUserAsSSOMemberForOrganization',
        { description: "From then on, the member must sign in through the organization's SAML provider." },
      ),
    )
    .input(z.object({ userId: z.string().describe('The id of the user.') }))
    .output(MemberObject)
    .mutation(async ({ ctx, input: { organizationId, userId } }) => {
      await markSso(ctx.em, { organization: organizationId, user: userId });
      return readMember(ctx.db, ctx.viewer, organizationId, userId);
    }),

  ping: organizationProcedure('view')
    .meta(
      membersRoute.post(
        '/orgs/{organizationId}/ping',
        'Update when the caller was last seen',
        'updateOrganizationMemberLastSeenAt',
        { description: 'Clients call this when a user opens the organization.' },
      ),
    )
    .output(
      z.object({
        serviceVisitorClaims: z
          .string()
          .optional()
          .describe('A JWT with claims that identify the member to other services.'),
      }),
    )
    .mutation(async ({ ctx: { db, actor, services, member }, input: { organizationId: organization } }) => {
      await db
        .updateTable('member')
        .set({ last_seen_at: new Date() })
        .where('organization_id', '=', organization)
        .where('user_id', '=', actor.user.id)
        .execute();
      return {
        serviceVisitorClaims: await signMemberClaims(services.signer, actor.user, organization, member),
      };
    }),
});
