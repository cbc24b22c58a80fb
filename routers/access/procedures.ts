import { z } from 'zod';
import { authenticatedProcedure, inTransaction } from '../trpc.ts';
import {
  COLLECTION_NEEDS,
  type CollectionPermission,
  NEEDS_ON_SPACE,
  ORGANIZATION_NEEDS,
  type OrganizationPermission,
  type SpacePermission,
} from './needs.ts';
import { requireCollection, requireOrganization, requireSpace } from './require.ts';

/**
 * A procedure about one organization: loads it as `ctx.organization` with the caller's membership and grants.
 * 404 for those who are not members, 403 for members without the permission.
 */
export const organizationProcedure = (permission: OrganizationPermission) =>
  authenticatedProcedure
    .use(inTransaction)
    .meta({ need: { on: 'organization', level: ORGANIZATION_NEEDS[permission] } })
    .input(z.object({ organizationId: z.string() }))
    .use(async ({ ctx, input, next }) =>
      next({ ctx: await requireOrganization(ctx.db, ctx.actor.user.id, input.organizationId, permission) }),
    );

/**
 * A procedure about one space: loads it as `ctx.space` with the caller's level. 404 for those who may not view it,
 * 403 without the permission. A deleted space is there only for procedures that say so, and for its admins.
 */
export const spaceProcedure = (permission: SpacePermission, options: { deleted?: boolean } = {}) =>
  authenticatedProcedure
    .use(inTransaction)
    .meta({ need: { on: 'space', level: NEEDS_ON_SPACE[permission] } })
    .input(z.object({ spaceId: z.string() }))
    .use(async ({ ctx, input, next }) =>
      next({ ctx: await requireSpace(ctx.db, ctx.actor.user.id, input.spaceId, permission, options) }),
    );

/** A procedure about one collection: loads it as `ctx.collection`; denials as for a space. */
export const collectionProcedure = (permission: CollectionPermission) =>
  authenticatedProcedure
    .use(inTransaction)
    .meta({ need: { on: 'collection', level: COLLECTION_NEEDS[permission] } })
    .input(z.object({ collectionId: z.string() }))
    .use(async ({ ctx, input, next }) =>
      next({ ctx: await requireCollection(ctx.db, ctx.actor.user.id, input.collectionId, permission) }),
    );

/** A procedure about the caller alone. */
export const userProcedure = authenticatedProcedure.use(inTransaction);
