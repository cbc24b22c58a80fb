import { z } from 'zod';
import type { SiteRedirect } from '../../schema/entities/site-redirect.ts';
import { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime } from '../base/common-schemas.ts';

/** The public object of a redirect of a site. */
export const SiteRedirectObject = z
  .object({
    object: z.literal('site-redirect'),
    id: z.string(),
    source: z.string().describe('Path below the root of the site, percent-encoded.'),
    destination: RedirectDestination,
    draft: z.literal(false),
    captureWildcard: z.literal(false).describe('A redirect is of one path.'),
    permanent: z.literal(false),
    createdAt: z.string(),
  })
  .meta({ id: 'SiteRedirect' });

export const presentRedirect = ({
  id,
  source,
  destination,
  createdAt,
}: Presentable<SiteRedirect>): z.infer<typeof SiteRedirectObject> => ({
  object: 'site-redirect',
  id,
  source,
  destination,
  draft: false,
  captureWildcard: false,
  permanent: false,
  createdAt: isoTime(createdAt),
});
