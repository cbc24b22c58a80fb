import { hash } from 'node:crypto';
import { z } from 'zod';
import { publishedUrl } from '../addresses/published.ts';
import type { Urls } from '../base/ports.ts';
import { ChangeRequestObject } from '../change-requests/change-requests.api.ts';
import { CollectionObject } from '../collections/collections.api.ts';
import { PageObject } from '../content/pages.api.ts';
import { SpaceObject } from '../spaces/spaces.api.ts';
import type { FoundContent, Redirection } from './resolve.query.ts';

const SiteContentObject = z.object({
  site: z.string().describe('The id of the site.'),
  siteSection: z.string().optional().describe('The id of the section.'),
  siteSpace: z.string().describe('The id of the site space.'),
  space: z.string().describe('The id of the space.'),
  organization: z.string().describe('The id of the organization that owns it.'),
  shareKey: z.string().optional().describe('The share key in the address, if it has one.'),
  pathname: z.string().describe('Path of the page below `basePath`, decoded like `path` of the page.'),
  basePath: z.string().describe('Path of the site space in the URL.'),
  siteBasePath: z.string().describe('Path of the site in the URL.'),
  canonicalUrl: z
    .string()
    .describe('The address at which the content is published without share key or preview.'),
  complete: z
    .boolean()
    .describe('Whether adding segments to the path cannot lead to another section or site space.'),
  apiToken: z.string().describe('Access token for what the site publishes, valid for at least 5 minutes.'),
  contextId: z.string().optional().describe('Changes with the claims of the visitor.'),
});

const RedirectObject = z.object({
  target: z.enum(['content', 'external']).describe('What the visitor is sent to.'),
  redirect: z.string().describe('The address to send the visitor to.'),
});

/** The content that an address names. */
export const ContentLookupObject = z
  .union([
    z.object({ collection: CollectionObject.describe('The collection that the address leads to.') }),
    z.object({
      space: SpaceObject.describe('The space that the address leads to.'),
      changeRequest: ChangeRequestObject.optional().describe('The change request that the address leads to.'),
      page: PageObject.optional().describe('The page that the address leads to.'),
    }),
  ])
  .meta({ id: 'ContentLookup', description: 'What an address leads to.' });

/** Where a published address leads. */
export const PublishedContentLookupObject = z
  .union([RedirectObject, SiteContentObject])
  .meta({ id: 'PublishedSiteContentLookup', description: 'What an address of a published site leads to.' });

export const presentRedirection = ({ target, url }: Redirection): z.infer<typeof RedirectObject> => ({
  target,
  redirect: url,
});

export function presentFoundContent(
  { site, visitor, shareKey, place, page, siteBasePath, basePath }: FoundContent,
  apiToken: string,
  urls: Urls,
): z.infer<typeof SiteContentObject> {
  const pathUnlessDefault = (step: FoundContent['place']['section']) =>
    step?.isNamed && !step.chosen.isDefault ? step.chosen.path : undefined;
  const canonical = {
    shareKey,
    section: pathUnlessDefault(place.section),
    siteSpace: pathUnlessDefault(place.siteSpace),
    page: page.length > 0 ? page.join('/') : undefined,
  };
  const { signed, unsigned } = visitor.claims;
  const hasClaims = [signed, unsigned].some((claims) => Object.keys(claims).length > 0);
  return {
    site: site.id,
    siteSection: place.section?.chosen.id,
    siteSpace: place.siteSpace.chosen.id,
    space: place.siteSpace.chosen.space,
    organization: site.organization,
    shareKey,
    // Decoded, as renderers look it up among the paths of the pages.
    pathname: page.join('/'),
    basePath,
    siteBasePath,
    canonicalUrl: publishedUrl(urls, site, canonical),
    complete: place.isComplete,
    apiToken,
    contextId: hasClaims
      ? hash('sha256', JSON.stringify([signed, unsigned]), 'base64url').slice(0, 22)
      : undefined,
  };
}
