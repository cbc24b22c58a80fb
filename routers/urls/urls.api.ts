import { hash } from 'node:crypto';
import { z } from 'zod';
import { publishedUrl } from '../addresses/published.ts';
import type { Urls } from '../base/ports.ts';
import { ChangeRequestObject } from '../change-requests/change-requests.api.ts';
import { CollectionObject } from '../collections/collections.api.ts';
import { PageObject } from '../content/pages.api.ts';
import { SpaceObject } from '../spaces/spaces.api.ts';
import type { ResolvedContent, UrlRedirect } from './resolve.query.ts';

const SiteContentObject = z.object({
  site: z.string().describe('The id of the site.'),
  siteSection: z.string().optional().describe('The id of the section.'),
  siteSpace: z.string().describe('The id of the site space.'),
  space: z.string().describe('The id of the space.'),
  organization: z.string().describe('The id of the organization that owns it.'),
  shareKey: z.string().optional().describe('The key of the share link in the address, if there is one.'),
  pathname: z.string().describe('The path of the page below `basePath`, decoded like `path` of the page.'),
  basePath: z.string().describe('The path of the site space in the URL.'),
  siteBasePath: z.string().describe('The path of the site in the URL.'),
  canonicalUrl: z
    .string()
    .describe(
      'The URL at which the content is published, without the paths of defaults that are not needed, and with the share key of the address, if there is one.',
    ),
  complete: z
    .boolean()
    .describe('Whether the section and site space are final: no longer path could lead to others.'),
  apiToken: z
    .string()
    .describe('An access token for the published content of the site, valid for at least 5 minutes.'),
  contextId: z.string().optional().describe('Identifies the claims of the visitor; it changes with them.'),
});

const RedirectObject = z.object({
  target: z
    .enum(['content', 'external'])
    .describe('Whether the redirect leads to content of this service, or to another service.'),
  redirect: z.string().describe('The URL to redirect the visitor to.'),
});

/** The content at an address. */
export const ContentLookupObject = z
  .union([
    z.object({ collection: CollectionObject.describe('The collection at the address.') }),
    z.object({
      space: SpaceObject.describe('The space at the address.'),
      changeRequest: ChangeRequestObject.optional().describe('The change request at the address.'),
      page: PageObject.optional().describe('The page at the address.'),
    }),
  ])
  .meta({ id: 'ContentLookup', description: 'The content at an address.' });

/** What a published address resolves to. */
export const PublishedContentLookupObject = z.union([RedirectObject, SiteContentObject]).meta({
  id: 'PublishedSiteContentLookup',
  description: 'What an address of a published site resolves to: its content, or a redirect.',
});

export const presentUrlRedirect = ({ target, url }: UrlRedirect): z.infer<typeof RedirectObject> => ({
  target,
  redirect: url,
});

export function presentResolvedContent(
  { site, visitor, shareKey, place, canonical, page, siteBasePath, basePath }: ResolvedContent,
  apiToken: string,
  urls: Urls,
): z.infer<typeof SiteContentObject> {
  const { signed, unsigned } = visitor.claims;
  const hasClaims = [signed, unsigned].some((claims) => Object.keys(claims).length > 0);
  return {
    site: site.id,
    siteSection: place.section?.chosen.id,
    siteSpace: place.siteSpace.chosen.id,
    space: place.siteSpace.chosen.space,
    organization: site.organization,
    shareKey,
    // Decoded, because renderers look it up among the paths of the pages.
    pathname: page.join('/'),
    basePath,
    siteBasePath,
    canonicalUrl: publishedUrl(urls, site, { ...canonical, shareKey }),
    complete: place.isComplete,
    apiToken,
    contextId: hasClaims
      ? hash('sha256', JSON.stringify([signed, unsigned]), 'base64url').slice(0, 22)
      : undefined,
  };
}
