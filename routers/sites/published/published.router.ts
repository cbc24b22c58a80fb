import { siteReaderProcedure } from '../../access/procedures.ts';
import { router } from '../../base/trpc.ts';
import { route } from '../route.ts';
import { presentSite, presentVisitedSite } from '../sites.api.ts';
import { siteSpacesIn } from '../structure/structure.ts';
import { PublishedSiteObject, presentPublishedSite } from './published.api.ts';
import { readOpened } from './reading.query.ts';

export const publishedSiteRouter = router({
  get: siteReaderProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/sites/{siteId}/published',
        'Get everything needed to show a site',
        'getPublishedContentSite',
        {
          description:
            'As the caller may see it: its structure, without sections that have nothing to read, and its customization.',
        },
      ),
    )
    .output(PublishedSiteObject)
    .query(async ({ ctx }) => {
      const { opened, services, shareKey } = ctx;
      const reading = await readOpened(ctx);
      const { site } = opened;
      return presentPublishedSite(
        reading,
        opened.viewer
          ? presentSite(site, opened.level, opened.viewer, shareKey)
          : presentVisitedSite(site, {
              urls: services.urls,
              shareKey,
              siteSpaces: siteSpacesIn(reading.structure).length,
            }),
        opened.conditions,
      );
    }),
});
