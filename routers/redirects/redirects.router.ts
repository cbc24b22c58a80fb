import { sql } from 'kysely';
import { z } from 'zod';
import { SiteRedirect } from '../../schema/entities/site-redirect.ts';
import { newId } from '../../schema/ids.ts';
import { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import { columnsOf } from '../../schema/rows.ts';
import { siteProcedure, siteReaderProcedure } from '../access/procedures.ts';
import { publishedUrl } from '../addresses/published.ts';
import { SourcePath } from '../addresses/source-path.ts';
import { siteChangeProcedure } from '../audience/site-change.procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { visibilityFor } from '../sites/published/visible-structure.query.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { findDestination, isVisibleDestination } from './destinations.query.ts';
import { presentRedirect, SiteRedirectObject } from './redirects.api.ts';
import { saveRedirect } from './redirects.operation.ts';
import { route } from './route.ts';

const REDIRECTS = '/orgs/{organizationId}/sites/{siteId}/redirects';
const REDIRECT = `${REDIRECTS}/{siteRedirectId}` as const;

const Source = SourcePath.describe(
  'The path below the root of the site, percent-encoded. A page with this path takes precedence over the redirect.',
);

export const redirectsRouter = router({
  list: siteProcedure('admin')
    .meta(
      route.get(REDIRECTS, 'List the redirects of a site', 'listSiteRedirects', {
        description: 'Includes redirects whose destination no longer exists, which have no effect.',
      }),
    )
    .input(
      z.object({
        ...paging,
        search: z.string().max(512).optional().describe('Only redirects whose source contains this text.'),
      }),
    )
    .output(listOf(SiteRedirectObject))
    .query(async ({ ctx, input }) => {
      let listed = ctx.db.selectFrom('site_redirect').where('site_id', '=', ctx.site.id);
      if (input.search !== undefined)
        listed = listed.where(sql<boolean>`position(lower(${input.search}) in lower(source)) > 0`);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(SiteRedirect)),
        order: [{ column: 'site_redirect.id', direction: 'desc', of: (row) => row.id }],
        present: presentRedirect,
      });
    }),

  create: siteChangeProcedure('site.updated')
    .meta(
      route.post(REDIRECTS, 'Create a redirect of a site', 'createSiteRedirect', {
        description:
          'Visitors of the path are redirected to the destination if the site has no page at the path.',
        success: 201,
      }),
    )
    .input(
      z.object({
        source: Source.describe('The path to redirect, from the root of the site.'),
        destination: RedirectDestination.describe('The destination that visitors are redirected to.'),
      }),
    )
    .output(SiteRedirectObject)
    .mutation(async ({ ctx, input: { source, destination } }) => {
      const { em, site } = ctx;
      const redirect = em.create(SiteRedirect, { id: newId(), site: site.id, source, destination });
      await saveRedirect(ctx, redirect, { source, destination }, visibilityFor(ctx).sees);
      return presentRedirect(redirect);
    }),

  getBySource: siteReaderProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/sites/{siteId}/redirect',
        'Find the redirect of a path',
        'getSiteRedirectBySource',
        { description: 'Returns the redirect of a path, and the URL that it leads to.' },
      ),
    )
    .input(z.object({ source: Source.describe('The path to redirect, from the root of the site.') }))
    .output(
      z.object({
        redirect: SiteRedirectObject.describe('The redirect.'),
        target: z.string().describe('The URL that it leads to.'),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { db, opened, services, shareKey } = ctx;
      const { site } = opened;
      const redirect = await db
        .selectFrom('site_redirect')
        .select(columnsOf(SiteRedirect))
        .where('site_id', '=', site.id)
        .where('source', '=', input.source)
        .executeTakeFirst();
      const found = redirect && (await findDestination(ctx, site.id, redirect.destination));
      // guard: redirect-visible
      if (!redirect || !found || !isVisibleDestination(found, visibilityFor(opened)))
        throw notFound('redirect');
      const target = publishedUrl(services.urls, site, { ...found.place, shareKey });
      return { redirect: presentRedirect(redirect), target };
    }),

  update: siteChangeProcedure('site.updated')
    .meta(
      route.patch(REDIRECT, 'Update a redirect of a site', 'updateSiteRedirectById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        siteRedirectId: z.string().describe('The id of the redirect.'),
        source: Source.optional().describe('The path to redirect, from the root of the site.'),
        destination: RedirectDestination.optional().describe(
          'The destination that visitors are redirected to.',
        ),
      }),
    )
    .output(SiteRedirectObject)
    .mutation(async ({ ctx, input: { siteRedirectId, source, destination } }) => {
      const { em, site } = ctx;
      const redirect = await em.findOne(SiteRedirect, { id: siteRedirectId, site: site.id });
      if (!redirect) throw notFound('redirect');
      const to = { source: source ?? redirect.source, destination: destination ?? redirect.destination };
      await saveRedirect(ctx, redirect, to, visibilityFor(ctx).sees);
      return presentRedirect(redirect);
    }),

  delete: siteChangeProcedure('site.updated')
    .meta(
      route.delete(REDIRECT, 'Delete a redirect of a site', 'deleteSiteRedirectById', {
        description: 'Visitors of the path are no longer redirected.',
      }),
    )
    .input(z.object({ siteRedirectId: z.string().describe('The id of the redirect.') }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      const { site } = ctx;
      const deleted = await deleteRows(ctx.db, 'site_redirect', {
        id: input.siteRedirectId,
        site_id: site.id,
      });
      if (deleted === 0) throw notFound('redirect');
      return { removed: true };
    }),
});
