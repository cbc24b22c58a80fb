import { siteReaderProcedure } from '../../access/procedures.ts';
import { router } from '../../base/trpc.ts';
import { route } from '../route.ts';
import { presentSite, presentVisitedSite } from '../sites.api.ts';
import { siteSpacesIn } from '../structure/structure.ts';
import { PublishedSiteObject, presentPublishedSite } from './published.api.ts';
import { readVisibleStructure } from './visible-structure.query.ts';

export const publishedSiteRouter = router({
  get: siteReaderProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/sites/{siteId}/published',
        'Get everything needed to render a site',
        'getPublishedContentSite',
        {
          description:
            "The site's structure and customization as the caller may see them, without sections that have no visible spaces.",
        },
      ),
    )
    .output(PublishedSiteObject)
    .query(async ({ ctx }) => {
      const { opened, services, shareKey } = ctx;
      const visible = await readVisibleStructure(ctx);
      const { site } = opened;
      return presentPublishedSite(
        visible,
        opened.viewer
          ? presentSite(site, opened.level, opened.viewer, shareKey)
          : presentVisitedSite(site, {
              urls: services.urls,
              shareKey,
              siteSpaces: siteSpacesIn(visible.structure).length,
            }),
        opened.conditions,
      );
    }),
});
