import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';
import type { Hosting } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';

/** A label of a hostname; other scripts are encoded in labels that begin with `xn--`. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The longest hostname that DNS allows, in octets. */
const MAX_HOSTNAME = 253;

/** Subdomains that mail servers, browsers or visitors would take for the installation's own. */
const RESERVED = new Set(
  (
    'admin api app assets auth autoconfig autodiscover cdn ftp help hostmaster imap localhost login mail mta-sts mx ' +
    'ns ns1 ns2 pop postmaster root security sites smtp sso static status support webmaster wpad www'
  ).split(' '),
);

/** The subdomain of an organization, below the installation's domain. */
export const SubdomainLabel = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/,
    'must have 3 to 32 lower-case letters, digits and inner hyphens',
  );

/** An organization's own hostname: at least three labels, such as docs.example.com. */
export const CustomHostnameName = z.string().max(512).refine(isHostname, {
  error: 'must be a hostname of at least three labels of lower-case letters, digits and hyphens',
});

function isHostname(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_HOSTNAME &&
    labels.length >= 3 &&
    labels.every((label) => LABEL.test(label)) &&
    // The last label needs a letter: otherwise this would be an IP address.
    /[a-z]/.test(labels.at(-1) ?? '') &&
    labels.every(isValidPunycode)
  );
}

/** Whether a label is valid punycode in its canonical spelling, or no punycode at all. */
function isValidPunycode(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const decoded = domainToUnicode(label);
  return decoded !== label && domainToASCII(decoded) === label;
}

/** The longest origin of a proxy, in characters. */
const MAX_PROXY = 512;

/** The host, in lower case, and path at which another service forwards requests to a site. */
export const ProxyOrigin = z
  .string()
  .max(MAX_PROXY)
  .regex(
    /^[\w-]+(?:[.][\w-]+)*[.][a-zA-Z]{2,}(?:[/][\w-]+)+$/,
    'must be a host and a path, such as example.com/docs',
  )
  .transform((origin) => origin.replace(/^[^/]+/, (host) => host.toLowerCase()));

/** The host of a proxy's origin. */
export const hostnameOf = (origin: string): string => origin.split('/')[0] as string;

/** The origins of proxies that a URL may be below: each prefix of its path, the shortest first. */
export function originCandidates(hostname: string, segments: readonly string[]): string[] {
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

/** Whether a hostname is, or is below, the service's own or the domain whose subdomains organizations get. */
export const isOwnHostname = (hostname: string, { hostname: own, sitesDomain }: Hosting): boolean =>
  isAtOrBelow(hostname, own) || (sitesDomain !== undefined && isAtOrBelow(hostname, sitesDomain));

/** @throws DomainError `invalid`, naming the field, for a hostname of the service itself */
export function requireForeignHostname(hosting: Hosting, field: string, hostname: string): void {
  if (!isOwnHostname(hostname, hosting)) return;
  const message = 'This hostname belongs to the service itself.';
  throw new DomainError('invalid', message, [{ path: field, message }]);
}

/** Whether a subdomain is not available to organizations: it has a common meaning, or the service itself is there. */
export const isReservedSubdomain = (subdomain: string, { hostname, sitesDomain }: Hosting): boolean =>
  RESERVED.has(subdomain) ||
  // Labels that look like punycode.
  subdomain.startsWith('--', 2) ||
  (sitesDomain !== undefined && isAtOrBelow(hostname, `${subdomain}.${sitesDomain}`));
