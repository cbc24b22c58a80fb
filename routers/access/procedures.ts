import { z } from 'zod';
import { authenticatedProcedure, inTransaction } from '../trpc.ts';
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
 * caller as `ctx.viewer`, like all procedures here. 404 for those who are not members, 403 for members without the
 * permission.
 */
export const organizationProcedure = (permission: OrganizationPermission) =>
  authenticatedProcedure
    .use(inTransaction)
    .meta({ need: { on: 'organization', ...ORGANIZATION_NEEDS[permission] } })
    .input(z.object({ organizationId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const access = await requireOrganization(ctx.db, ctx.actor, input.organizationId, permission);
      return next({ ctx: { ...access, viewer: viewerOf(ctx, access.member) } });
    });

/**
 * A procedure about one space: loads it as `ctx.space` with the caller's level. 404 for those who may not view it, 403
 * without the permission. Deleted spaces are found only with the `deleted` option, and only by their admins.
 */
export const spaceProcedure = (permission: SpacePermission, options: { deleted?: boolean } = {}) =>
  authenticatedProcedure
    .use(inTransaction)
    .meta({ need: { on: 'space', ...NEEDS_ON_SPACE[permission] } })
    .input(z.object({ spaceId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const access = await requireSpace(ctx.db, ctx.actor, input.spaceId, permission, options);
      return next({ ctx: { ...access, viewer: viewerOf(ctx, access.member) } });
    });

/** A procedure about one collection: loads it as `ctx.collection`; denials as for a space. */
export const collectionProcedure = (permission: CollectionPermission) =>
  authenticatedProcedure
    .use(inTransaction)
    .meta({ need: { on: 'collection', ...NEEDS_ON_COLLECTION[permission] } })
    .input(z.object({ collectionId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const access = await requireCollection(ctx.db, ctx.actor, input.collectionId, permission);
      return next({ ctx: { ...access, viewer: viewerOf(ctx, access.member) } });
    });

/** A procedure about the caller alone. */
export const userProcedure = authenticatedProcedure
  .use(inTransaction)
  .use(({ ctx, next }) => next({ ctx: { viewer: viewerOf(ctx, null) } }));
