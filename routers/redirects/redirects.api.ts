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
    source: z.string().describe('The path below the root of the site, percent-encoded.'),
    destination: RedirectDestination.describe('The destination that visitors are redirected to.'),
    draft: z.literal(false).describe('Always false: all redirects are active.'),
    captureWildcard: z.literal(false).describe('Always false: a redirect applies to one path.'),
    permanent: z
      .literal(false)
      .describe('Always false: redirects are temporary, and not cached by browsers.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  })
  .meta({ id: 'SiteRedirect', description: 'A redirect from a path of a site.' });

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
