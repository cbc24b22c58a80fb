import { z } from 'zod';
import { authenticatedProcedure, inTransaction, partialProcedure } from '../trpc.ts';
import {
  type CollectionPermission,
  NEEDS_ON_COLLECTION,
  NEEDS_ON_SPACE,
  ORGANIZATION_NEEDS,
  type OrganizationPermission,
  type SpacePermission,
} from './needs.ts';
import { requireCollection, requireOrganization, requireSpace } from './require.ts';
import { viewerOf } from './viewer.ts';

/**
 * A procedure about one organization: loads it as `ctx.organization` with the caller's membership and grants, and the
 * caller as `ctx.viewer`, as every procedure here.
 * 404 for those who are not members, 403 for members without the permission.
 */
export const organizationProcedure = (permission: OrganizationPermission) =>
  authenticatedProcedure
    .meta({ need: { on: 'organization', ...ORGANIZATION_NEEDS[permission] } })
    .input(z.object({ organizationId: z.string() }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, next } = call;
        const access = await requireOrganization(db, ctx.actor, input.organizationId, permission);
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/** What makes a procedure one about a space, for those that do something before: `before.concat(spaceAccess('edit'))`. */
export const spaceAccess = (permission: SpacePermission, options: { deleted?: boolean } = {}) =>
  partialProcedure
    .meta({ need: { on: 'space', ...NEEDS_ON_SPACE[permission] } })
    .input(z.object({ spaceId: z.string() }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, next } = call;
        const access = await requireSpace(db, ctx.actor, input.spaceId, permission, options);
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/**
 * A procedure about one space: loads it as `ctx.space` with the caller's level. 404 for those who may not view it,
 * 403 without the permission. A deleted space is there only for procedures that say so, and for its admins.
 */
export const spaceProcedure = (permission: SpacePermission, options: { deleted?: boolean } = {}) =>
  authenticatedProcedure.concat(spaceAccess(permission, options));

/** A procedure about one collection: loads it as `ctx.collection`; denials as for a space. */
export const collectionProcedure = (permission: CollectionPermission) =>
  authenticatedProcedure
    .meta({ need: { on: 'collection', ...NEEDS_ON_COLLECTION[permission] } })
    .input(z.object({ collectionId: z.string() }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, next } = call;
        const access = await requireCollection(db, ctx.actor, input.collectionId, permission);
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/** A procedure about the caller alone. */
export const userProcedure = authenticatedProcedure.use((call) =>
  inTransaction(call, ({ em, db }) => call.next({ ctx: { em, db, viewer: viewerOf(call.ctx, null) } })),
);
