import { siteProcedure } from '../access/procedures.ts';
import { router } from '../trpc.ts';
import { route } from './chapter.ts';
import { presentSite, SiteObject } from './sites.api.ts';

export const sitesRouter = router({
  get: siteProcedure('view')
    .meta(route.get('/orgs/{organizationId}/sites/{siteId}', 'Get a site', 'getSiteById'))
    .output(SiteObject)
    .query(({ ctx }) => presentSite(ctx.site, ctx.level, ctx.viewer)),
});
