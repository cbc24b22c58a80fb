import { z } from 'zod';
import { shareKeyOn } from '../addresses/published.ts';
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
 * A procedure about an organization: loads it as `ctx.organization`, with the caller's membership and grants. As in all
 * procedures here, `ctx.viewer` is the caller. Responds with 404 to those who are not members, and with 403 to members
 * without the permission.
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
 * The same without a transaction, for mutations that compute before they begin one. In it, they must call `ctx.load`, which
 * loads the organization again and repeats the check of the permission.
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

/** The part of `spaceProcedure` after authentication, to add to another procedure: `other.concat(spaceAccess('edit'))`. */
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
 * A procedure about a space: loads it as `ctx.space`, with the caller's level. Responds with 404 to those who may not view it,
 * and with 403 to those without the permission. Only with the `deleted` option, and only for its admins, is a deleted space
 * found.
 */
export const spaceProcedure = (permission: Permission<'space'>, options: { deleted?: boolean } = {}) =>
  authenticatedProcedure.concat(spaceAccess(permission, options));

/** The same without a transaction, see `optimisticOrganizationProcedure`. */
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

/** A space with what its reader may see of it: the level of a user, or the conditions as evaluated for a visitor. */
type OpenedSpace =
  | (SpaceAccess & { viewer: Viewer; conditions?: undefined })
  | { space: SpaceAccess['space']; conditions: ConditionEvaluator; viewer?: undefined };

/**
 * A query about a space, for users, like `spaceProcedure`, and for visitors of a site that shows it. `ctx.opened` is the
 * {@link OpenedSpace}.
 */
export const spaceReaderProcedure = (permission: Permission<'space'>, options: { deleted?: boolean } = {}) =>
  readerProcedure
    .meta({ need: requiredPermission('space', permission) })
    .input(z.object({ spaceId: z.string().describe('The id of the space.') }))
    .use(async ({ ctx, input: { spaceId }, meta, next }) => {
      const { db, reader } = ctx;
      const need = declaredPermission(meta, 'space');
      let opened: OpenedSpace;
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

/** A procedure about a collection: loads it as `ctx.collection`. Denies access as `spaceProcedure` does. */
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

/** A procedure about a site of an organization: loads it as `ctx.site`. Denies access as `spaceProcedure` does. */
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

/** The same for a site. */
type OpenedSite =
  | (SiteAccess & { viewer: Viewer; conditions?: undefined })
  | { site: SiteAccess['site']; conditions: ConditionEvaluator; viewer?: undefined };

export const ShareKey = z
  .string()
  .max(255)
  .optional()
  .describe('The key of a share link, with which published URLs are built.');

/**
 * A query about a site, for users, like `siteProcedure`, and for its visitors. `ctx.opened` is the {@link OpenedSite}, and
 * `ctx.shareKey` the key that its addresses need. Responds with 404 to a `shareKey` that is not the key of an active link.
 */
export const siteReaderProcedure = (permission: Permission<'site'>) =>
  readerProcedure
    .meta({ need: requiredPermission('site', permission) })
    .input(
      z.object({
        organizationId: z.string().describe('The id of the organization.'),
        siteId: z.string().describe('The id of the site.'),
        shareKey: ShareKey.describe(
          'The key of a share link, which is the last part of its URL; for sites with the visibility `share-link`.',
        ),
      }),
    )
    .use(async ({ ctx, input, meta, next }) => {
      const { db, reader } = ctx;
      const need = declaredPermission(meta, 'site');
      let opened: OpenedSite;
      if (reader.kind === 'visitor') {
        const { of: site, conditions } = await requireVisitedSite(db, reader, input, need);
        opened = { site, conditions };
      } else {
        const access = await requireSite(db, reader, input, need);
        opened = { ...access, viewer: viewerOf({ actor: reader, services: ctx.services }, access.member) };
      }
      // guard: share-key
      await requireShareKey(db, opened.site.id, input.shareKey);
      ctx.dependencies?.add(siteTag(opened.site.id));
      return next({ ctx: { opened, shareKey: shareKeyOn(opened.site, input.shareKey) } });
    });

/** A procedure about the caller's own account. */
export const userProcedure = authenticatedProcedure.use((call) =>
  inTransaction(call, ({ em, db }) => call.next({ ctx: { em, db, viewer: viewerOf(call.ctx, null) } })),
);
