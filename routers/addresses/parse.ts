import type { Urls } from '../base/ports.ts';
import { toNfc } from '../engine/nfc.ts';
import { SITES_PATH } from './published.ts';

/** The host of a published address, as far as the address alone tells. */
type Host =
  /** A site on the service's own host. */
  | { kind: 'site'; site: string }
  /** An organization's subdomain of the installation. */
  | { kind: 'subdomain'; subdomain: string }
  /** Any other hostname: a custom one, or the host of a proxy. */
  | { kind: 'hostname'; hostname: string };

/** The parsed address of a page on a published site. */
export interface Address {
  host: Host;
  /** The path below which the host is, with a slash at both ends. */
  root: string;
  /** The segments of the path below `root`, decoded and in Unicode's composed form. */
  segments: readonly string[];
  /** The query, decoded. */
  query: URLSearchParams;
}

/**
 * Parses a published address. The port and the protocol do not matter, since proxies change them. Superfluous slashes and
 * the fragment are dropped; `.` and `..` are resolved as browsers do it.
 * @returns undefined if it cannot be the address of a site
 */
export function parseAddress(urls: Urls, text: string): Address | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  const segments = decodePath(url.pathname);
  if (!segments) return undefined;
  const query = url.searchParams;
  // A trailing dot names the same host.
  const hostname = url.hostname.replace(/\.$/, '');
  const { hostname: own, sitesDomain } = urls.hosting;
  if (hostname === own) {
    const base = segmentsOf(new URL(urls.absolute(`/${SITES_PATH}/`)).pathname);
    const site = segments[base.length];
    if (site === undefined || base.some((segment, index) => segments[index] !== segment)) return undefined;
    const root = pathOf([...base, site]);
    return { host: { kind: 'site', site }, root, segments: segments.slice(base.length + 1), query };
  }
  if (sitesDomain !== undefined && hostname.endsWith(`.${sitesDomain}`)) {
    const subdomain = hostname.slice(0, -sitesDomain.length - 1);
    return { host: { kind: 'subdomain', subdomain }, root: '/', segments, query };
  }
  return { host: { kind: 'hostname', hostname }, root: '/', segments, query };
}

/** Builds an absolute path, with a slash at its end, from decoded segments. */
export const pathOf = (segments: readonly string[]): string =>
  `${segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')}/`;

const segmentsOf = (pathname: string): string[] => pathname.split('/').filter((segment) => segment !== '');

/** Undefined if a segment is not UTF-8, or contains an encoded slash or a NUL, which no path of a site has. */
function decodePath(pathname: string): string[] | undefined {
  try {
    const segments = segmentsOf(pathname).map((segment) => toNfc(decodeURIComponent(segment)));
    return segments.some((segment) => /[/\0]/.test(segment)) ? undefined : segments;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
