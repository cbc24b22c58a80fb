import { z } from 'zod';

/** Where a redirect of a site leads: a section, a site space or a page of the site. */
export const RedirectDestination = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('site-section'), siteSectionId: z.string() }),
  z.object({ kind: z.literal('site-space'), siteSpaceId: z.string() }),
  z.object({ kind: z.literal('site-page'), siteSpaceId: z.string(), pageId: z.string() }),
]);
export type RedirectDestination = z.infer<typeof RedirectDestination>;
