import { z } from 'zod';
import { AGENTS_CONTEXTS, type Role, SITE_TYPES, SITE_VISIBILITIES } from '../../schema/enums.ts';
import type { ProxyStatus, SiteRow } from '../access/load.query.ts';
import {
  type CallerLevel,
  permissionFlags,
  permissionsOf,
  SITE_NEEDS,
  VISITOR_LEVEL,
} from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { hostnameOf } from '../addresses/hostnames.ts';
import { hostedUrl, publishedUrl } from '../addresses/published.ts';
import { DefaultLevelSchema, isoTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';
import { proofOf } from '../hostnames/dns-check.ts';
import { CustomizationObject } from './customization/customization.api.ts';
import { customizationOf } from './customization/customization.ts';
import { featuresOf } from './features.ts';

export const AGENTS_CONTEXT =
  'Whether agents may read the site: if `excluded`, its pages offer no Markdown, and it has neither `llms.txt` nor `llms-full.txt`.';

/** The public object of a site. */
export const SiteObject = z
  .object({
    object: z.literal('site').describe('The type of the object: always `site`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    type: z.enum(SITE_TYPES).describe('The plan of the site.'),
    appliedType: z.enum(SITE_TYPES).describe('Always the same as `type`: no site is ever frozen.'),
    title: z.string().describe('The title, as shown to users.'),
    icon: CustomizationObject.shape.favicon
      .optional()
      .describe('The icon of the site; absent if it has none.'),
    hostname: z.string().optional().describe("The site's custom hostname."),
    basename: z.string().optional().describe("The site's path on the hostname of the organization."),
    proxy: z
      .object({
        origin: z.string().describe('The host and path at which the proxy serves the site.'),
        target: z.string().describe('The URL that the proxy must forward requests to.'),
        isActive: z
          .boolean()
          .describe('Whether the site is served there: not while the host belongs to another organization.'),
        isVerified: z.boolean().describe('Whether the DNS record of the host was found.'),
        error: z.string().optional().describe('Why the last check failed.'),
        records: z
          .array(
            z.object({
              type: z.literal('TXT').describe('The type of the DNS record.'),
              name: z.string().describe('The name of the DNS record.'),
              value: z.string().describe('The value that the DNS record must have.'),
            }),
          )
          .describe(
            'The DNS record that proves that the host is yours, so that no other organization can claim it.',
          ),
      })
      .optional()
      .describe('The proxy that serves the site, if there is one.'),
    visibility: z.enum(SITE_VISIBILITIES).describe('Who can read the published site.'),
    published: z.boolean().describe('Whether the site is published.'),
    siteSpaces: z.number().int().describe('The number of spaces on the site.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    adaptiveContent: z
      .object({ enabled: z.boolean().describe('Whether it is enabled.') })
      .describe('Adaptive content, which depends on the claims of the visitor.'),
    agentsContext: z.enum(AGENTS_CONTEXTS).describe(AGENTS_CONTEXT),
    features: z
      .array(
        z.object({
          id: z.string().describe('The id of the feature.'),
          plan: z.enum(SITE_TYPES).describe('The plan that includes it.'),
          frozen: z.boolean().describe('Whether it keeps working, but can no longer be changed.'),
          customizations: z.array(z.string()).optional().describe('The customizations that use it.'),
        }),
      )
      .describe('The features that the site uses.'),
    defaultLevel: DefaultLevelSchema.describe(
      'The default level of members of the organization: a role, `inherit` for the level of the parent, or null for none.',
    ),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
        published: z
          .string()
          .optional()
          .describe('The URL of the published content; absent unless it is published.'),
        preview: z
          .string()
          .describe('The URL of previews; opening one takes a link of its own, see `publishing/preview`.'),
      })
      .describe('The URLs of the object.'),
    permissions: permissionFlags(SITE_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
  })
  .meta({ id: 'Site', description: 'A documentation site that shows spaces.' });

type SiteShape = z.infer<typeof SiteObject>;

/** `level` is the caller's level on the site. */
export const presentSite = (
  site: SiteRow,
  level: Role | null,
  { urls, scope }: Viewer,
  shareKey?: string,
): SiteShape => present(site, { urls, shareKey, callerLevel: { level, scope } });

/** A site as its visitors see it: without settings for members, and with the number of spaces that they may see. */
export const presentVisitedSite = (
  site: SiteRow,
  { urls, shareKey, siteSpaces }: Pick<SiteView, 'urls' | 'shareKey'> & { siteSpaces: number },
): SiteShape => ({
  ...present({ ...site, siteSpaces }, { urls, shareKey, callerLevel: VISITOR_LEVEL }),
  defaultLevel: null,
});

interface SiteView {
  urls: Urls;
  callerLevel: CallerLevel;
  /** The key of the share link through which the site is read. */
  shareKey: string | undefined;
}

function present(site: SiteRow, { urls, callerLevel, shareKey }: SiteView): SiteShape {
  const customization = customizationOf(site);
  const { favicon } = customization;
  return {
    object: 'site',
    id: site.id,
    type: site.type,
    appliedType: site.type,
    title: site.title,
    icon: Object.keys(favicon).length > 0 ? favicon : undefined,
    hostname: site.hostname ?? undefined,
    basename: site.basename ?? undefined,
    proxy: site.proxy ? presentProxy(site.proxy, site, urls) : undefined,
    visibility: site.visibility,
    published: site.published,
    siteSpaces: site.siteSpaces,
    createdAt: isoTime(site.createdAt),
    adaptiveContent: { enabled: site.adaptiveContent },
    agentsContext: site.agentsContext,
    features: featuresOf(site, customization),
    defaultLevel: site.defaultLevel,
    urls: {
      location: urls.location('orgs', site.organization, 'sites', site.id),
      app: urls.app('orgs', site.organization, 'sites', site.id),
      published: site.published ? publishedUrl(urls, site, { shareKey }) : undefined,
      preview: publishedUrl(urls, site),
    },
    permissions: permissionsOf(SITE_NEEDS, callerLevel),
  };
}

function presentProxy({ origin, isActive, isVerified, error }: ProxyStatus, site: SiteRow, urls: Urls) {
  const { name, text } = proofOf({ hostname: hostnameOf(origin), organization: site.organization });
  return {
    origin,
    target: hostedUrl(urls, site),
    isActive,
    isVerified,
    error: error ?? undefined,
    records: [{ type: 'TXT' as const, name, value: text }],
  };
}
