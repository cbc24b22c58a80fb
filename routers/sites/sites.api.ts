import { z } from 'zod';
import { AGENTS_CONTEXTS, type Role, SITE_TYPES, SITE_VISIBILITIES } from '../../schema/enums.ts';
import type { SetProxy, SiteRow } from '../access/load.query.ts';
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

/** The public object of a site. */
export const SiteObject = z
  .object({
    object: z.literal('site'),
    id: z.string(),
    type: z.enum(SITE_TYPES),
    appliedType: z.enum(SITE_TYPES).describe('Always its type: no site is ever frozen.'),
    title: z.string(),
    icon: CustomizationObject.shape.favicon.optional(),
    hostname: z.string().optional(),
    basename: z.string().optional(),
    proxy: z
      .object({
        origin: z.string(),
        target: z.string(),
        isActive: z
          .boolean()
          .describe(
            'Whether readers find the site there: not while the address is that of another organization.',
          ),
        isVerified: z.boolean().describe('Whether the DNS record of the host was found.'),
        error: z.string().optional().describe('Why the last check did not find it.'),
        records: z
          .array(z.object({ type: z.literal('TXT'), name: z.string(), value: z.string() }))
          .describe('The DNS record that proves the host to be yours, so that no other organization has it.'),
      })
      .optional(),
    visibility: z.enum(SITE_VISIBILITIES),
    published: z.boolean(),
    siteSpaces: z.number().int(),
    createdAt: z.string(),
    adaptiveContent: z.object({ enabled: z.boolean() }),
    agentsContext: z.enum(AGENTS_CONTEXTS),
    features: z
      .array(
        z.object({
          id: z.string(),
          plan: z.enum(SITE_TYPES),
          frozen: z.boolean(),
          customizations: z.array(z.string()).optional(),
        }),
      )
      .describe('The features that the site uses.'),
    defaultLevel: DefaultLevelSchema,
    urls: z.object({
      location: z.string(),
      app: z.string(),
      published: z.string().optional(),
      preview: z
        .string()
        .describe(
          'Where previews of it are, each of which needs a URL of its own: see `publishing/preview`.',
        ),
    }),
    permissions: permissionFlags(SITE_NEEDS),
  })
  .meta({ id: 'Site' });

type SiteShape = z.infer<typeof SiteObject>;

/** `level` is the caller's on the site. */
export const presentSite = (
  site: SiteRow,
  level: Role | null,
  { urls, scope }: Viewer,
  shareKey?: string,
): SiteShape => present(site, { urls, shareKey, standing: { level, scope } });

/** A site as its visitors see it: without its settings for members, and with the number of spaces that they are shown. */
export const presentVisitedSite = (
  site: SiteRow,
  { urls, shareKey, siteSpaces }: Pick<SiteView, 'urls' | 'shareKey'> & { siteSpaces: number },
): SiteShape => ({
  ...present({ ...site, siteSpaces }, { urls, shareKey, standing: VISITOR_LEVEL }),
  defaultLevel: null,
});

interface SiteView {
  urls: Urls;
  standing: CallerLevel;
  /** The key of the share link through which the site is read. */
  shareKey: string | undefined;
}

function present(site: SiteRow, { urls, standing, shareKey }: SiteView): SiteShape {
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
    permissions: permissionsOf(SITE_NEEDS, standing),
  };
}

function presentProxy({ origin, isActive, isVerified, error }: SetProxy, site: SiteRow, urls: Urls) {
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
