import type { SITE_VISIBILITIES } from '../../schema/enums.ts';
import type { Urls } from '../base/ports.ts';

/** The folder of all sites on the service's own address. */
export const SITES_PATH = 'sites';

/** What decides where a site is. */
export interface SiteAddress {
  id: string;
  /** Its path on the hosts of its organization; its id stands in. */
  basename: string | null;
  /** The host and path of another service that forwards requests to it, if that is active. */
  proxyOrigin: string | null;
  /** Its own hostname, if that is active. */
  hostname: string | null;
  /** The hostname of its organization, if that is active. */
  organizationHostname: string | null;
  /** The subdomain of its organization. */
  subdomain: string | null;
}

/** What stands for the key of a share link in the addresses of a preview, which needs none. */
export const PREVIEW_KEY = 'preview';

/** The key of a share link as a part of addresses: on any other site it is none. */
export const keyOn = (
  { visibility }: { visibility: (typeof SITE_VISIBILITIES)[number] },
  shareKey: string | undefined,
): string | undefined => (visibility === 'share-link' ? shareKey : undefined);

/** A place on a site. The defaults, a section or site space without a choice, and the first page have no path. */
export interface Place {
  /** The key of the share link through which the site is read. */
  shareKey?: string | undefined;
  section?: string | undefined;
  siteSpace?: string | undefined;
  /** The path of a page, its slugs joined by slashes. */
  page?: string | undefined;
}

/** The absolute URL where readers find a site, or a place on it. */
export function publishedUrl(urls: Urls, site: SiteAddress, place: Place = {}): string {
  if (site.proxyOrigin === null) return hostedUrl(urls, site, place);
  return [`https://${site.proxyOrigin}`, ...segmentsOf(place)].join('/');
}

/** The same without the service that forwards requests: where it forwards them to. */
export function hostedUrl(urls: Urls, site: SiteAddress, place: Place = {}): string {
  const rest = segmentsOf(place);
  if (site.hostname !== null) return `${urls.hosting.rootOf(site.hostname)}/${rest.join('/')}`;
  const host = organizationHost(urls, site);
  if (host === undefined) return [urls.absolute(`/${SITES_PATH}/${site.id}`), ...rest].join('/');
  const path = [encodeURIComponent(site.basename ?? site.id), ...rest];
  return `${urls.hosting.rootOf(host)}/${path.join('/')}`;
}

/** The host that the sites of an organization share; undefined if it has none. */
const organizationHost = (
  { hosting: { sitesDomain } }: Urls,
  { organizationHostname, subdomain }: SiteAddress,
): string | undefined => {
  if (organizationHostname !== null) return organizationHostname;
  return sitesDomain === undefined || subdomain === null ? undefined : `${subdomain}.${sitesDomain}`;
};

const segmentsOf = ({ shareKey, section, siteSpace, page }: Place): string[] =>
  [shareKey, section, siteSpace, ...(page ? page.split('/') : [])].flatMap((segment) =>
    segment === undefined ? [] : encodeURIComponent(segment),
  );
