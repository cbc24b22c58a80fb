/** E-mail addresses and their domains in the one form that is stored and compared. */

import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { isPublicMailDomain } from './public-mail-domains.ts';

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const MAX_DOMAIN = 253;

/** ASCII that is no part of a domain: what reads domains of URLs would take it for other notations. */
const NOT_IN_DOMAINS = /[^a-z0-9.\-\u0080-\u{10ffff}]/u;

/** Dots stand between other characters only. */
const LOCAL_PART = /^[^\s"(),:;<>@[\\\].]+(?:\.[^\s"(),:;<>@[\\\].]+)*$/u;
const MAX_LOCAL_PART = 64;
const MAX_ADDRESS = 254;

/** Longer ones cannot become addresses: a character becomes at most 18 by normalization, in scripts of few letters. */
const MAX_GIVEN = 1000;

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** A domain in lower case, with international names as `xn--` ones; undefined for what is none. */
function normalizeDomain(given: string): string | undefined {
  const name = folded(given);
  if (NOT_IN_DOMAINS.test(name)) return undefined;
  const domain = domainToASCII(name);
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) ? domain : undefined;
}

/** An e-mail address in the form in which users have it, whatever its case and Unicode form; undefined for what is none. */
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

/** The domain of an address that users have. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

export const EmailAddress = z.string().transform((given, context) => {
  const address = normalizeEmail(given);
  if (address === undefined) context.addIssue({ code: 'custom', message: 'must be an e-mail address' });
  return address ?? z.NEVER;
});

/** A domain whose addresses belong to one organization or group: public mail providers are refused. */
export const EmailDomain = z.string().transform((given, context) => {
  const domain = given.length <= MAX_GIVEN ? normalizeDomain(given) : undefined;
  if (domain === undefined)
    context.addIssue({ code: 'custom', message: 'must be a domain, for example example.com' });
  else if (isPublicMailDomain(domain))
    context.addIssue({ code: 'custom', message: `${domain} is of a public mail provider` });
  return domain ?? z.NEVER;
});
