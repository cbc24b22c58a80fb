import { z } from 'zod';
import { organizationProcedure } from '../access/procedures.ts';
import type { Viewer } from '../access/viewer.ts';
import { FutureTime, NullableRole, Removal, RoleSchema } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { InvalidInput } from '../engine/invalid-input.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { LinkInviteObject, NewLinkInviteObject } from './invites.api.ts';
import {
  createLinkInvite,
  levelWithoutContent,
  revokeInvite,
  updateLinkInvite,
} from './invites.operation.ts';
import { linkInviteColumns, linkInvitesOf, presentLinkInviteRow } from './invites.query.ts';
import { route } from './route.ts';

const LINKS = '/orgs/{organizationId}/link-invites';
const LINK = `${LINKS}/{inviteId}` as const;

const inviteInput = z.object({ inviteId: z.string().describe('The id of the invite link.') });

async function readLinkInvite(db: Db, viewer: Viewer, organization: string, id: string) {
  const row = await linkInvitesOf(db, organization)
    .select(linkInviteColumns)
    .where('invite.id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('invite');
  return presentLinkInviteRow(row, viewer);
}

/** The content that a new link grants a level on, if it names a space or a collection. */
function contentIn({
  space,
  collection,
  level,
}: {
  space?: string | undefined;
  collection?: string | undefined;
  level?: z.infer<typeof RoleSchema> | undefined;
}) {
  if (space !== undefined && collection !== undefined)
    throw new InvalidInput({ path: 'collection', message: 'cannot be given with `space`' });
  const id = space ?? collection;
  if (id === undefined) {
    if (level !== undefined) throw levelWithoutContent();
    return undefined;
  }
  if (level === undefined)
    throw new InvalidInput({ path: 'level', message: 'is required with a space or a collection' });
  return { kind: space === undefined ? ('collection' as const) : ('space' as const), id, level };
}

export const linkInvitesRouter = router({
  list: organizationProcedure('viewInvites')
    .meta(
      route.get(LINKS, 'List the invite links of an organization', 'listOrganizationInviteLinks', {
        description: 'Lists the newest link first. Secrets are not included: they are shown only once.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(LinkInviteObject))
    .query(async ({ ctx, input }) => {
      const listed = linkInvitesOf(ctx.db, input.organizationId);
      return readPage(ctx, input, {
        rows: listed.select(linkInviteColumns),
        order: [{ column: 'invite.id', direction: 'desc', of: (row) => row.id }],
        present: (row) => presentLinkInviteRow(row, ctx.viewer),
      });
    }),

  create: organizationProcedure('admin')
    .meta(
      route.post(LINKS, 'Create an invite link', 'createOrganizationInvite', {
        success: 201,
        description:
          'Anyone with its secret, which is shown only once, can join the organization with `role`. With `space` or `collection`, they get `level` on it, and `role` is null by default.',
      }),
    )
    .input(
      z.object({
        role: NullableRole.optional().describe('The role in the organization; null for a guest.'),
        level: RoleSchema.optional().describe('The role that people get on the space or collection.'),
        space: z.string().optional().describe('The id of the space that the link gives access to.'),
        collection: z.string().optional().describe('The id of the collection that the link gives access to.'),
        team: z.string().optional().describe('The id of a team that those who join are added to.'),
        expiresAt: FutureTime.optional().describe('When it stops being valid, in ISO 8601 UTC.'),
        singleUse: z.boolean().default(false).describe('Whether the link works only once.'),
      }),
    )
    .output(NewLinkInviteObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId: organization, role, team, expiresAt, singleUse } = input;
      const content = contentIn(input);
      if (role === undefined && !content) throw new InvalidInput({ path: 'role', message: 'is required' });
      const terms = { organization, role: role ?? null, content, team, expiresAt, singleUse };
      const { id, secret } = await createLinkInvite(ctx.em, terms);
      return { ...(await readLinkInvite(ctx.db, ctx.viewer, organization, id)), secret };
    }),

  get: organizationProcedure('viewInvites')
    .meta(
      route.get(LINK, 'Get an invite link', 'getOrganizationInviteLink', {
        description: 'Returns what the link gives access to, and until when.',
      }),
    )
    .input(inviteInput)
    .output(LinkInviteObject)
    .query(({ ctx, input }) => readLinkInvite(ctx.db, ctx.viewer, input.organizationId, input.inviteId)),

  update: organizationProcedure('admin')
    .meta(
      route.patch(LINK, 'Update an invite link', 'updateOrganizationInviteById', {
        description: 'Applies to those who join from now on; earlier members keep what they have.',
      }),
    )
    .input(
      inviteInput.extend({
        role: NullableRole.optional().describe('The role in the organization; null for a guest.'),
        level: RoleSchema.optional().describe('The level on the space or collection, if the link is to one.'),
        team: z
          .string()
          .nullable()
          .optional()
          .describe('The id of a team that those who join are added to; null for none.'),
        expiresAt: FutureTime.nullable().optional().describe('When it stops being valid, in ISO 8601 UTC.'),
      }),
    )
    .output(LinkInviteObject)
    .mutation(async ({ ctx, input: { organizationId, inviteId, ...changes } }) => {
      await updateLinkInvite(ctx.em, organizationId, inviteId, changes);
      return readLinkInvite(ctx.db, ctx.viewer, organizationId, inviteId);
    }),

  revoke: organizationProcedure('admin')
    .meta(
      route.delete(LINK, 'Revoke an invite link', 'deleteOrganizationInviteById', {
        description: 'Nobody can join with it any more; those who have joined stay members.',
      }),
    )
    .input(inviteInput)
    .output(Removal)
    .mutation(async ({ ctx, input: { organizationId, inviteId } }) => {
      await revokeInvite(ctx.em, organizationId, inviteId, 'hash');
      return { removed: true };
    }),
});
