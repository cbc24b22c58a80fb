import { z } from 'zod';
import { keyOn } from '../addresses/published.ts';
import { siteTag, spaceTag } from '../base/cache-tags.ts';
import type { Db } from '../base/db.ts';
import { authenticatedProcedure, inTransaction, partialProcedure, readerProcedure } from '../base/trpc.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { SiteAccess, SpaceAccess } from './load.query.ts';
import { declaredPermission, type Permission, requiredPermission } from './needs.ts';
import {
  requireCollection,
  requireOrganization,
  requireShareKey,
  requireSite,
  requireSpace,
  requireVisitedSite,
  requireVisitedSpace,
} from './require.ts';
import { type Viewer, viewerOf } from './viewer.ts';

/**
 * A procedure about one organization: loads it as `ctx.organization` with the caller's membership and grants, and the
 * caller as `ctx.viewer`, like all procedures here. 404 for those who are not members, 403 for members without the
 * permission.
 */
export const organizationProcedure = (permission: Permission<'organization'>) =>
  authenticatedProcedure
    .meta({ need: requiredPermission('organization', permission) })
    .input(z.object({ organizationId: z.string().describe('The id of the organization.') }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const need = declaredPermission(meta, 'organization');
        const access = await requireOrganization(db, ctx.actor, input.organizationId, need);
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/**
 * The same without a transaction, for mutations that compute before theirs: `ctx.load` reads the organization again, and
 * denies what it denies here, which they must do in their transaction.
 */
export const optimisticOrganizationProcedure = (permission: Permission<'organization'>) =>
  authenticatedProcedure
    .meta({ need: requiredPermission('organization', permission) })
    .input(z.object({ organizationId: z.string().describe('The id of the organization.') }))
    .use(async ({ ctx, input: { organizationId }, meta, next }) => {
      const need = declaredPermission(meta, 'organization');
      const load = (db: Db) => requireOrganization(db, ctx.actor, organizationId, need);
      const access = await load(ctx.db);
      return next({ ctx: { ...access, load, viewer: viewerOf(ctx, access.member) } });
    });

/** `spaceProcedure` without authentication, to follow other steps: `before.concat(spaceAccess('edit'))`. */
export const spaceAccess = (permission: Permission<'space'>, options: { deleted?: boolean } = {}) =>
  partialProcedure
    .meta({ need: requiredPermission('space', permission) })
    .input(z.object({ spaceId: z.string().describe('The id of the space.') }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const need = declaredPermission(meta, 'space');
        const access = await requireSpace(db, ctx.actor, input.spaceId, need, options);
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/**
 * A procedure about one space: loads it as `ctx.space` with the caller's level. 404 for those who may not view it, 403
 * without the permission. Deleted spaces are found only with the `deleted` option, and only by their admins.
 */
export const spaceProcedure = (permission: Permission<'space'>, options: { deleted?: boolean } = {}) =>
  authenticatedProcedure.concat(spaceAccess(permission, options));

/** The same without a transaction: see `optimisticOrganizationProcedure`. */
export const optimisticSpaceAccess = (permission: Permission<'space'>) =>
  partialProcedure
    .meta({ need: requiredPermission('space', permission) })
    .input(z.object({ spaceId: z.string().describe('The id of the space.') }))
    .use(async ({ ctx, input, meta, next }) => {
      const need = declaredPermission(meta, 'space');
      const load = (db: Db) => requireSpace(db, ctx.actor, input.spaceId, need);
      const access = await load(ctx.db);
      return next({ ctx: { ...access, load, viewer: viewerOf(ctx, access.member) } });
    });

/** A space as its reader may see it: a user with a level on it, or a visitor with the conditions on it as they are for them. */
type ReadSpace =
  | (SpaceAccess & { viewer: Viewer; conditions?: undefined })
  | { space: SpaceAccess['space']; conditions: ConditionEvaluator; viewer?: undefined };

/**
 * A query about one space for users, as `spaceProcedure`, and for visitors of a site that shows it: `ctx.opened` is the
 * space as either may see it.
 */
export const spaceReaderProcedure = (permission: Permission<'space'>, options: { deleted?: boolean } = {}) =>
  readerProcedure
    .meta({ need: requiredPermission('space', permission) })
    .input(z.object({ spaceId: z.string().describe('The id of the space.') }))
    .use(async ({ ctx, input: { spaceId }, meta, next }) => {
      const { db, reader } = ctx;
      const need = declaredPermission(meta, 'space');
      let opened: ReadSpace;
      if (reader.kind === 'visitor') {
        const { of: space, conditions } = await requireVisitedSpace(db, reader, spaceId, need);
        opened = { space, conditions };
        ctx.dependencies?.add(siteTag(reader.site));
      } else {
        const access = await requireSpace(db, reader, spaceId, need, options);
        opened = { ...access, viewer: viewerOf({ actor: reader, services: ctx.services }, access.member) };
      }
      ctx.dependencies?.add(spaceTag(opened.space.id));
      return next({ ctx: { opened } });
    });

/** A procedure about one collection: loads it as `ctx.collection`; denials as for a space. */
export const collectionProcedure = (permission: Permission<'collection'>) =>
  authenticatedProcedure
    .meta({ need: requiredPermission('collection', permission) })
    .input(z.object({ collectionId: z.string().describe('The id of the collection.') }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const need = declaredPermission(meta, 'collection');
        const access = await requireCollection(db, ctx.actor, input.collectionId, need);
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/** A procedure about one site of an organization: loads it as `ctx.site`; denials as for a space. */
export const siteProcedure = (permission: Permission<'site'>) =>
  authenticatedProcedure
    .meta({ need: requiredPermission('site', permission) })
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        siteId: z.string().describe('The id of the site.'),
      }),
    )
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const access = await requireSite(db, ctx.actor, input, declaredPermission(meta, 'site'));
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/** A site as its reader may see it: as of a space. */
type ReadSite =
  | (SiteAccess & { viewer: Viewer; conditions?: undefined })
  | { site: SiteAccess['site']; conditions: ConditionEvaluator; viewer?: undefined };

export const ShareKey = z
  .string()
  .max(255)
  .optional()
  .describe('Key of a share link, to resolve published URLs.');

/**
 * A query about one site for users, as `siteProcedure`, and for its visitors: `ctx.opened` is the site as either may see
 * it, and `ctx.shareKey` the key that its addresses need. 404 with a `shareKey` that is not that of an active share link.
 */
export const siteReaderProcedure = (permission: Permission<'site'>) =>
  readerProcedure
    .meta({ need: requiredPermission('site', permission) })
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        siteId: z.string().describe('The id of the site.'),
        shareKey: ShareKey.describe(
          'The key at the end of the address of a share link, for sites that are read by share link.',
        ),
      }),
    )
    .use(async ({ ctx, input, meta, next }) => {
      const { db, reader } = ctx;
      const need = declaredPermission(meta, 'site');
      let opened: ReadSite;
      if (reader.kind === 'visitor') {
        const { of: site, conditions } = await requireVisitedSite(db, reader, input, need);
        opened = { site, conditions };
      } else {
        const access = await requireSite(db, reader, input, need);
        opened = { ...access, viewer: viewerOf({ actor: reader, services: ctx.services }, access.member) };
      }
      await requireShareKey(db, opened.site.id, input.shareKey);
      ctx.dependencies?.add(siteTag(opened.site.id));
      return next({ ctx: { opened, shareKey: keyOn(opened.site, input.shareKey) } });
    });

/** A procedure about the caller alone. */
export const userProcedure = authenticatedProcedure.use((call) =>
  inTransaction(call, ({ em, db }) => call.next({ ctx: { em, db, viewer: viewerOf(call.ctx, null) } })),
);
