import { z } from 'zod';
import type { SiteRedirect } from '../../schema/entities/site-redirect.ts';
import { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import type { Presentable } from '../../schema/rows.ts';

/** The public object of a redirect of a site. */
export const SiteRedirectObject = z
  .object({
    object: z.literal('site-redirect'),
    id: z.string(),
    source: z.string().describe('Path below the root of the site, percent-encoded.'),
    destination: RedirectDestination,
  })
  .meta({ id: 'SiteRedirect' });

export const presentRedirect = ({
  id,
  source,
  destination,
}: Presentable<SiteRedirect>): z.infer<typeof SiteRedirectObject> => ({
  object: 'site-redirect',
  id,
  source,
  destination,
});
