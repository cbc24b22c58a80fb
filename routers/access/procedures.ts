import { z } from 'zod';
import { DomainError, notFound } from '../errors.ts';
import { authenticatedProcedure, inTransaction } from '../trpc.ts';
import { loadCollection, loadOrganization, loadSpace } from './load.ts';
import {
  allows,
  COLLECTION_NEEDS,
  type CollectionPermission,
  ORGANIZATION_NEEDS,
  type OrganizationPermission,
  SPACE_NEEDS,
  type SpacePermission,
} from './needs.ts';

/** Known but not allowed: said only to those who may see the object. */
const forbidden = (what: string, permission: string) =>
  new DomainError(
    'forbidden',
    `You may see this ${what}, but the permission "${permission}" on it is not yours.`,
  );

const NEEDS_ON_SPACE = { ...SPACE_NEEDS, create: 'create' } as const;

/**
 * A procedure about one organization: loads it as `ctx.organization` with the caller's membership and grants.
 * 404 for those who are not members, 403 for members without the permission.
 */
export const organizationProcedure = (permission: OrganizationPermission) =>
  authenticatedProcedure
    .use(inTransaction)
    .input(z.object({ organizationId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const access = await loadOrganization(ctx.db, ctx.actor.user.id, input.organizationId);
      if (!access) throw notFound('organization');
      if (!allows(access.member.role, ORGANIZATION_NEEDS[permission]))
        throw forbidden('organization', permission);
      return next({ ctx: access });
    });

/**
 * A procedure about one space: loads it as `ctx.space` with the caller's level. 404 for those who may not view it,
 * 403 without the permission. A deleted space is there only for procedures that say so, and for its admins.
 */
export const spaceProcedure = (permission: SpacePermission, options: { deleted?: boolean } = {}) =>
  authenticatedProcedure
    .use(inTransaction)
    .input(z.object({ spaceId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const access = await loadSpace(ctx.db, ctx.actor.user.id, input.spaceId);
      if (!access) throw notFound('space');
      if (access.space.deletedAt && !(options.deleted && access.level === 'admin')) throw notFound('space');
      if (!allows(access.level, NEEDS_ON_SPACE[permission])) throw forbidden('space', permission);
      return next({ ctx: access });
    });

/** A procedure about one collection: loads it as `ctx.collection`; denials as for a space. */
export const collectionProcedure = (permission: CollectionPermission) =>
  authenticatedProcedure
    .use(inTransaction)
    .input(z.object({ collectionId: z.string() }))
    .use(async ({ ctx, input, next }) => {
      const access = await loadCollection(ctx.db, ctx.actor.user.id, input.collectionId);
      if (!access) throw notFound('collection');
      if (!allows(access.level, COLLECTION_NEEDS[permission])) throw forbidden('collection', permission);
      return next({ ctx: access });
    });

/** A procedure about the caller alone. */
export const userProcedure = authenticatedProcedure.use(inTransaction);
