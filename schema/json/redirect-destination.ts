import { z } from 'zod';

/** Where a redirect of a site leads: a section, a site space or a page of the site. */
export const RedirectDestination = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('site-section').describe('The kind of destination.'),
    siteSectionId: z.string().describe('The id of the site section.'),
  }),
  z.object({
    kind: z.literal('site-space').describe('The kind of destination.'),
    siteSpaceId: z.string().describe('The id of the site space, which places a space in the site.'),
  }),
  z.object({
    kind: z.literal('site-page').describe('The kind of destination.'),
    siteSpaceId: z.string().describe('The id of the site space, which places a space in the site.'),
    pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
  }),
]);
export type RedirectDestination = z.infer<typeof RedirectDestination>;
