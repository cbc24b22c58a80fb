import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import type { Hosting } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';

/** What a label of a hostname looks like; those that begin with `xn--` hold other scripts. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Of a hostname in the DNS, in octets. */
const MAX_HOSTNAME = 253;

/** Subdomains that mail, browsers or visitors take for the installation's own. */
const RESERVED = new Set(
  (
    'admin api app assets auth autoconfig autodiscover cdn ftp help hostmaster imap localhost login mail mta-sts mx ' +
    'ns ns1 ns2 pop postmaster root security sites smtp sso static status support webmaster wpad www'
  ).split(' '),
);

/** A subdomain of the installation, which names an organization. */
export const SubdomainLabel = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/,
    'must have 3 to 32 lower-case letters, digits and inner hyphens',
  );

/** A hostname of an organization's own: at least three labels, such as docs.example.com. */
export const CustomHostnameName = z.string().max(512).refine(isHostname, {
  error: 'must be a hostname of at least three labels of lower-case letters, digits and hyphens',
});

function isHostname(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_HOSTNAME &&
    labels.length >= 3 &&
    labels.every((label) => LABEL.test(label)) &&
    // The last label of a name has a letter, or it would be an IP address.
    /[a-z]/.test(labels.at(-1) ?? '') &&
    labels.every(isReadable)
  );
}

/** Whether a label in punycode means something, and is its only spelling. */
function isReadable(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const read = domainToUnicode(label);
  return read !== label && domainToASCII(read) === label;
}

/** Longest host and path of a proxy, in characters. */
const MAX_PROXY = 512;

/** The host and the path of another service that forwards requests to a site; the host in lower case. */
export const ProxyOrigin = z
  .string()
  .max(MAX_PROXY)
  .regex(
    /^[\w-]+(?:[.][\w-]+)*[.][a-zA-Z]{2,}(?:[/][\w-]+)+$/,
    'must be a host and a path, such as example.com/docs',
  )
  .transform((origin) => origin.replace(/^[^/]+/, (host) => host.toLowerCase()));

/** The host of such an origin. */
export const hostnameOf = (origin: string): string => origin.split('/')[0] as string;

/** Every beginning of a path on a host that may be the origin of a proxy, the shortest first. */
export function originsOf(hostname: string, segments: readonly string[]): string[] {
  const origins: string[] = [];
  let origin = hostname;
  for (const segment of segments) {
    origin += `/${segment}`;
    if (origin.length > MAX_PROXY) break;
    origins.push(origin);
  }
  return origins;
}

const isAtOrBelow = (hostname: string, domain: string): boolean =>
  hostname === domain || hostname.endsWith(`.${domain}`);

/** Whether a hostname is the service's own, or below it, or one of the subdomains that it gives to organizations. */
export const isOwnHostname = (hostname: string, { hostname: own, sitesDomain }: Hosting): boolean =>
  isAtOrBelow(hostname, own) || (sitesDomain !== undefined && isAtOrBelow(hostname, sitesDomain));

/** @throws DomainError `invalid` for a hostname of the service in this field */
export function requireForeign(hosting: Hosting, field: string, hostname: string): void {
  if (!isOwnHostname(hostname, hosting)) return;
  const message = 'This hostname belongs to the service itself.';
  throw new DomainError('invalid', message, [{ path: field, message }]);
}

/** Whether organizations may not have this subdomain: it has a common meaning, or the service itself is there. */
export const isReservedSubdomain = (subdomain: string, { hostname, sitesDomain }: Hosting): boolean =>
  RESERVED.has(subdomain) ||
  // Labels like those of punycode.
  subdomain.startsWith('--', 2) ||
  (sitesDomain !== undefined && isAtOrBelow(hostname, `${subdomain}.${sitesDomain}`));
