import type { SITE_VISIBILITIES } from '../../schema/enums.ts';
import type { Urls } from '../base/ports.ts';

/** The folder of all sites on the service's own host. */
export const SITES_PATH = 'sites';

/** What decides the URL of a site. */
export interface SiteAddress {
  id: string;
  /** Its path on the hosts of its organization; its id is used if it has none. */
  basename: string | null;
  /** The host and path of its proxy, another service that forwards requests to it, if that is active. */
  proxyOrigin: string | null;
  /** Its own hostname, if that is active. */
  hostname: string | null;
  /** The hostname of its organization, if that is active. */
  organizationHostname: string | null;
  /** The subdomain of its organization. */
  subdomain: string | null;
}

/** The placeholder for the share key in addresses of a preview, which needs no real one. */
export const PREVIEW_KEY = 'preview';

/** The share key that addresses of a site contain; undefined unless its visibility is `share-link`. */
export const shareKeyOn = (
  { visibility }: { visibility: (typeof SITE_VISIBILITIES)[number] },
  shareKey: string | undefined,
): string | undefined => (visibility === 'share-link' ? shareKey : undefined);

/** A place on a site, see `shortestPlace`. The first page has no path. */
export interface Place {
  /** The key of the share link through which the site is read. */
  shareKey?: string | undefined;
  section?: string | undefined;
  siteSpace?: string | undefined;
  /** The path of a page, its slugs joined by slashes. */
  page?: string | undefined;
}

/** The absolute URL of a published site, or of a place on it. */
export function publishedUrl(urls: Urls, site: SiteAddress, place: Place = {}): string {
  if (site.proxyOrigin === null) return hostedUrl(urls, site, place);
  return [`https://${site.proxyOrigin}`, ...segmentsOf(place).map(encodeURIComponent)].join('/');
}

/** The same without the proxy: the URL to which it forwards requests. */
export function hostedUrl(urls: Urls, site: SiteAddress, place: Place = {}): string {
  const rest = segmentsOf(place).map(encodeURIComponent);
  if (site.hostname !== null) return `${urls.hosting.rootOf(site.hostname)}/${rest.join('/')}`;
  const host = organizationHost(urls, site);
  if (host === undefined) return [urls.absolute(`/${SITES_PATH}/${site.id}`), ...rest].join('/');
  const path = [encodeURIComponent(site.basename ?? site.id), ...rest];
  return `${urls.hosting.rootOf(host)}/${path.join('/')}`;
}

/** The host that an organization's sites share; undefined if there is none. */
const organizationHost = (
  { hosting: { sitesDomain } }: Urls,
  { organizationHostname, subdomain }: SiteAddress,
): string | undefined => {
  if (organizationHostname !== null) return organizationHostname;
  return sitesDomain === undefined || subdomain === null ? undefined : `${subdomain}.${sitesDomain}`;
};

/** The decoded segments of the path of a place, below the root of its site. */
export const segmentsOf = ({ shareKey, section, siteSpace, page }: Place): string[] =>
  [shareKey, section, siteSpace, ...(page ? page.split('/') : [])].flatMap((segment) => segment ?? []);
