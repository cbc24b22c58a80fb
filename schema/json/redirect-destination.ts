import { z } from 'zod';

/** Where a redirect of a site leads: a section, a site space or a page of the site. */
export const RedirectDestination = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('site-section').describe('What visitors are sent to.'),
    siteSectionId: z.string().describe('The id of the section of the site.'),
  }),
  z.object({
    kind: z.literal('site-space').describe('What visitors are sent to.'),
    siteSpaceId: z.string().describe('The id of the site space: the place of a space in the site.'),
  }),
  z.object({
    kind: z.literal('site-page').describe('What visitors are sent to.'),
    siteSpaceId: z.string().describe('The id of the site space: the place of a space in the site.'),
    pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
  }),
]);
export type RedirectDestination = z.infer<typeof RedirectDestination>;
