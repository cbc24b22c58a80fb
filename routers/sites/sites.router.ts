import { z } from 'zod';
import { AGENTS_CONTEXTS, SITE_TYPES, SITE_VISIBILITIES } from '../../schema/enums.ts';
import { text } from '../../schema/json/text.ts';
import { type Grants, levelOn, type Membership } from '../access/levels.ts';
import { siteAncestry } from '../access/load.query.ts';
import { organizationProcedure, siteProcedure, siteReaderProcedure } from '../access/procedures.ts';
import type { Viewer } from '../access/viewer.ts';
import { ProxyOrigin } from '../addresses/hostnames.ts';
import { newAuthKey } from '../audience/auth-key.ts';
import { lockSite } from '../audience/lock.operation.ts';
import { DefaultLevelSchema, Removal } from '../base/common-schemas.ts';
import type { Db } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { recordEvent } from '../events/record.operation.ts';
import { setProxy } from '../hostnames/proxies.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { setDefaultSection, setDefaultSiteSpace } from './defaults.operation.ts';
import { Basename } from './paths.ts';
import { route } from './route.ts';
import { AGENTS_CONTEXT, presentSite, presentVisitedSite, SiteObject } from './sites.api.ts';
import { createSite, deleteSite, MAX_SITE_ITEMS, saveSite, setPublished } from './sites.operation.ts';
import { countVisibleSpaces, readSite, sitesVisibleTo } from './sites.query.ts';
import { lockPublishableSpaces } from './spaces.operation.ts';
import { findSiteSpace } from './structure/site-spaces.operation.ts';

const Title = text({ min: 2, max: 128 });

export const sitesRouter = router({
  list: organizationProcedure('view')
    .meta(
      route.get('/orgs/{organizationId}/sites', 'List the sites of an organization', 'listSites', {
        description: 'Only sites that the caller may view are listed and counted.',
      }),
    )
    .input(
      z.object({
        ...paging,
        space: z.string().optional().describe('Only sites that show this space.'),
        title: text({ max: 128 }).optional().describe('Only sites whose title contains this text.'),
        published: z
          .boolean()
          .optional()
          .describe('Lists only sites that are published, or only those that are not.'),
        type: z
          .array(z.enum(SITE_TYPES))
          .max(SITE_TYPES.length)
          .optional()
          .describe('Lists only sites of these types.'),
      }),
    )
    .output(listOf(SiteObject))
    .query(async ({ ctx, input }) => {
      const { db, member, grants, viewer } = ctx;
      return readPage(ctx, input, {
        rows: sitesVisibleTo(db, { organization: ctx.organization.id, member, grants }, input),
        order: [{ column: 'site.id', direction: 'desc', of: (row) => row.id }],
        present: (site) => presentSite(site, levelOn(member, grants, siteAncestry(site)), viewer),
      });
    }),

  create: organizationProcedure('admin')
    .meta(
      route.post('/orgs/{organizationId}/sites', 'Create a site', 'createSite', {
        description: 'The site is not published yet. The given spaces are added to it.',
        success: 201,
      }),
    )
    .input(
      z.object({
        type: z.enum(SITE_TYPES).default('basic').describe('The plan of the site; `basic` by default.'),
        title: Title.default('Untitled').describe('The title, as shown to users.'),
        visibility: z.enum(SITE_VISIBILITIES).default('public').describe('Who can read the published site.'),
        spaces: z
          .array(z.string())
          .max(MAX_SITE_ITEMS)
          .default([])
          .describe('The spaces to add, in this order; the first one is the default.'),
      }),
    )
    .output(SiteObject)
    .mutation(async ({ ctx, input: { spaces: ids, type, title, visibility } }) => {
      const { db, em, services } = ctx;
      const organization = ctx.organization.id;
      await lockOrganizations(db, organization);
      const spaces = await lockPublishableSpaces(ctx, organization, [...new Set(ids)]);
      const authKey = newAuthKey(services.signer);
      const site = await createSite(em, { organization, type, title, visibility, authKey, spaces });
      return presentUpdatedSite(ctx, site);
    }),

  get: siteReaderProcedure('view')
    .meta(
      route.get('/orgs/{organizationId}/sites/{siteId}', 'Get a site', 'getSiteById', {
        description: 'Returns the settings of the site; its content is in its structure.',
      }),
    )
    .output(SiteObject)
    .query(async ({ ctx: { db, opened, services, shareKey } }) => {
      const { site } = opened;
      if (opened.viewer) return presentSite(site, opened.level, opened.viewer, shareKey);
      const siteSpaces = await countVisibleSpaces(db, site.id, opened.conditions);
      return presentVisitedSite(site, { urls: services.urls, shareKey, siteSpaces });
    }),

  update: siteProcedure('admin')
    .meta(
      route.patch('/orgs/{organizationId}/sites/{siteId}', 'Update a site', 'updateSiteById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        title: Title.optional().describe('The title, as shown to users.'),
        visibility: z.enum(SITE_VISIBILITIES).optional().describe('Who can read the published site.'),
        basename: Basename.optional().describe("The site's path on the hostname of the organization."),
        adaptiveContent: z
          .object({ enabled: z.boolean().describe('Whether it is enabled.') })
          .optional()
          .describe('Adaptive content, which depends on the claims of the visitor.'),
        agentsContext: z.enum(AGENTS_CONTEXTS).optional().describe(AGENTS_CONTEXT),
        defaultSiteSpace: z
          .string()
          .optional()
          .describe('The id of the default site space of the site, or of its default section.'),
        defaultSiteSection: z.string().optional().describe('The id of the default section of the site.'),
        proxy: ProxyOrigin.nullable()
          .optional()
          .describe(
            'The host and path of another service that forwards requests to the site. It works immediately, unless another organization has proved that the host is theirs, or claimed it first.',
          ),
        defaultLevel: DefaultLevelSchema.optional().describe(
          'The level that members without a grant have on the site.',
        ),
      }),
    )
    .output(SiteObject)
    .mutation(async ({ ctx, input }) => {
      const { db, em } = ctx;
      const {
        organizationId,
        siteId,
        adaptiveContent,
        proxy,
        defaultSiteSpace,
        defaultSiteSection,
        ...changes
      } = input;
      // Before the site: a site that is being created has chosen its path when that was free.
      if (changes.basename !== undefined) await lockOrganizations(db, organizationId);
      const site = await lockSite(em, siteId);
      em.assign(site, changes);
      if (adaptiveContent) site.adaptiveContent = adaptiveContent.enabled;
      await saveSite(em);
      if (defaultSiteSection !== undefined) await setDefaultSection(db, siteId, defaultSiteSection);
      if (defaultSiteSpace !== undefined)
        await setDefaultSiteSpace(db, await findSiteSpace(db, ctx, defaultSiteSpace));
      // Hostnames are locked after what is below a site.
      if (proxy !== undefined)
        await setProxy(em, ctx.services, { site: site.id, organization: site.organization }, proxy);
      recordEvent(em, { type: 'site.updated', site: site.id, organization: site.organization });
      return presentUpdatedSite(ctx, site);
    }),

  delete: siteProcedure('admin')
    .meta(
      route.delete('/orgs/{organizationId}/sites/{siteId}', 'Delete a site', 'deleteSiteById', {
        description: 'Also deletes its structure and share links, but not its spaces.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx }) => {
      const { db, em, site } = ctx;
      // Before the site, in the same order as when it becomes the default of the organization.
      await lockOrganizations(db, site.organization);
      await deleteSite(em, ctx.services, await lockSite(em, site.id));
      return { removed: true };
    }),

  publish: siteProcedure('admin')
    .meta(
      route.post('/orgs/{organizationId}/sites/{siteId}/publish', 'Publish a site', 'publishSite', {
        description: 'Makes it available to its audience, according to its visibility.',
      }),
    )
    .output(SiteObject)
    .mutation(async ({ ctx }) => {
      await setPublished(ctx.em, ctx.site.id, true);
      return presentUpdatedSite(ctx, ctx.site);
    }),

  unpublish: siteProcedure('admin')
    .meta(
      route.post('/orgs/{organizationId}/sites/{siteId}/unpublish', 'Unpublish a site', 'unpublishSite', {
        description: 'Takes effect with the next request: the site is then no longer available.',
      }),
    )
    .output(SiteObject)
    .mutation(async ({ ctx }) => {
      await setPublished(ctx.em, ctx.site.id, false);
      return presentUpdatedSite(ctx, ctx.site);
    }),
});

/** Presents a site after a change, which may have changed the caller's own level. */
async function presentUpdatedSite(
  { db, member, grants, viewer }: { db: Db; member: Membership; grants: Grants; viewer: Viewer },
  { id }: { id: string },
) {
  const site = await readSite(db, { id, member, grants });
  return presentSite(site, levelOn(member, grants, siteAncestry(site)), viewer);
}
