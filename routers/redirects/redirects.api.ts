import { z } from 'zod';
import type { SiteRedirect } from '../../schema/entities/site-redirect.ts';
import { RedirectDestination } from '../../schema/json/redirect-destination.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime } from '../base/common-schemas.ts';

/** The public object of a redirect of a site. */
export const SiteRedirectObject = z
  .object({
    object: z.literal('site-redirect').describe('The type of the object: always `site-redirect`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    source: z.string().describe('Path below the root of the site, percent-encoded.'),
    destination: RedirectDestination.describe('Where visitors are sent.'),
    draft: z.literal(false).describe('Whether the redirect does not work yet.'),
    captureWildcard: z.literal(false).describe('Always false: a redirect is for one path.'),
    permanent: z.literal(false).describe('Whether browsers may remember the redirect.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  })
  .meta({ id: 'SiteRedirect', description: 'A path of a site that leads elsewhere.' });

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
