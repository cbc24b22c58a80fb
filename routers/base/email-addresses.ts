/** E-mail addresses and their domains, normalized as they are stored and compared. */

import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { isPublicMailDomain } from './public-mail-domains.ts';

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const MAX_DOMAIN = 253;

/** ASCII that is not allowed in a domain: parsers of URLs could take it for something else. */
const NOT_IN_DOMAINS = /[^a-z0-9.\-\u0080-\u{10ffff}]/u;

/** Dots are allowed only between other characters. */
const LOCAL_PART = /^[^\s"(),:;<>@[\\\].]+(?:\.[^\s"(),:;<>@[\\\].]+)*$/u;
const MAX_LOCAL_PART = 64;
const MAX_ADDRESS = 254;

/** Longer texts cannot become valid: a character becomes at most 18 by normalization, in scripts of few letters. */
const MAX_GIVEN = 1000;

// guard: email-normal-form
const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Normalizes a domain: in lower case, with international names as `xn--` labels; undefined if it is not valid. */
function normalizeDomain(given: string): string | undefined {
  const name = folded(given);
  // guard: email-domain-notation
  if (NOT_IN_DOMAINS.test(name)) return undefined;
  const domain = domainToASCII(name);
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) ? domain : undefined;
}

/** Normalizes an e-mail address, whatever its case and Unicode form; undefined if it is not valid. */
export function normalizeEmail(given: string): string | undefined {
  if (given.length > MAX_GIVEN) return undefined;
  const address = folded(given);
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = normalizeDomain(address.slice(at + 1));
  if (domain === undefined || local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return undefined;
  const normal = `${local}@${domain}`;
  return normal.length <= MAX_ADDRESS ? normal : undefined;
}

/** A host of this machine or network, such as `localhost`. */
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The address by which an existing user is looked up; undefined if no user can have it. Unlike a new address, it may be that
 * of the first admin, `admin@localhost`, whose domain has no dot.
 */
export function normalizeAccountEmail(given: string): string | undefined {
  if (given.length > MAX_GIVEN) return undefined;
  const trimmed = given.trim();
  const normal = normalizeEmail(trimmed);
  if (normal !== undefined) return normal;
  const address = folded(trimmed);
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  if (local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return undefined;
  return HOST_NAME.test(address.slice(at + 1)) ? address : undefined;
}

/** The domain of a normalized address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

const emailAddress = (normalize: (given: string) => string | undefined) =>
  z.string().transform((given, context) => {
    const address = normalize(given);
    if (address === undefined) context.addIssue({ code: 'custom', message: 'must be an e-mail address' });
    return address ?? z.NEVER;
  });

export const EmailAddress = emailAddress(normalizeEmail);

/** The e-mail address of a user who may exist: see {@link normalizeAccountEmail}. */
export const AccountEmail = emailAddress(normalizeAccountEmail);

/** A domain whose addresses belong to one organization: those of public mail providers are refused. */
export const EmailDomain = z.string().transform((given, context) => {
  const domain = given.length <= MAX_GIVEN ? normalizeDomain(given) : undefined;
  // guard: join-public-provider
  if (domain === undefined)
    context.addIssue({ code: 'custom', message: 'must be a domain, such as example.com' });
  else if (isPublicMailDomain(domain))
    context.addIssue({
      code: 'custom',
      message: `must not belong to a public mail provider, as ${domain} does`,
    });
  return domain ?? z.NEVER;
});
