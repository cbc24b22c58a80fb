import type { Dns } from '../base/outbound-ports.ts';
import type { Hosting } from '../base/ports.ts';

/** How many aliases of aliases are followed. */
const MAX_ALIASES = 8;

/** What the records of a custom hostname have to say. */
export interface Expected {
  /** The hosts that it may be an alias of, each with whether that alone proves whose it is. */
  own: string;
  /** The subdomain of its organization, which no other organization has. */
  subdomain: string | undefined;
  /** The text that proves it otherwise, and the name that has it. */
  proof: { name: string; text: string };
}

/** The records that a custom hostname of an organization needs. */
export const expectedRecords = (
  { hostname: own, sitesDomain }: Hosting,
  custom: { hostname: string; organization: string; subdomain: string | null },
): Expected => ({
  own,
  subdomain:
    sitesDomain === undefined || custom.subdomain === null ? undefined : `${custom.subdomain}.${sitesDomain}`,
  proof: proofOf(custom),
});

/** The text record that names the organization of a hostname. */
export const proofOf = ({ hostname, organization }: { hostname: string; organization: string }) => ({
  name: `_colophon.${hostname}`,
  text: organization,
});

/** What a check of the records finds; `live` is the only one that makes a hostname active. */
export type DnsResult =
  | { status: 'live' }
  | { status: 'dns_no_cname' | 'dns_wrong_cname'; error: string }
  /** The DNS did not answer: what was known stays. */
  | { status: undefined; error: string };

/**
 * Checks that a custom hostname leads to the service, and that whoever has it wants it to lead to this organization: a
 * hostname that once led here must not be open to the next who names it.
 */
export async function checkDns(dns: Dns, hostname: string, expected: Expected): Promise<DnsResult> {
  try {
    const aliases = await aliasesOf(dns, hostname);
    if (isSubdomainAmong(aliases, expected)) return { status: 'live' };
    const target = expected.subdomain ?? expected.own;
    if (!aliases.includes(expected.own) && !(await sharesAddress(dns, hostname, expected.own))) {
      const last = aliases.at(-1);
      return last === undefined
        ? { status: 'dns_no_cname', error: `${hostname} has no CNAME record that names ${target}.` }
        : { status: 'dns_wrong_cname', error: `${hostname} is an alias of ${last}, not of ${target}.` };
    }
    return await checkText(dns, expected);
  } catch (error) {
    return unanswered(error);
  }
}

/** The same for the host of a proxy, which leads elsewhere: only that whoever has it names this organization. */
export async function checkProof(dns: Dns, hostname: string, expected: Expected): Promise<DnsResult> {
  try {
    const isAlias = isSubdomainAmong(await aliasesOf(dns, hostname), expected);
    return isAlias ? { status: 'live' } : await checkText(dns, expected);
  } catch (error) {
    return unanswered(error);
  }
}

const isSubdomainAmong = (aliases: readonly string[], { subdomain }: Expected): boolean =>
  subdomain !== undefined && aliases.includes(subdomain);

async function checkText(dns: Dns, { proof: { name, text } }: Expected): Promise<DnsResult> {
  // guard: hostname-proof
  if ((await dns.texts(name)).includes(text)) return { status: 'live' };
  return { status: 'dns_no_cname', error: `${name} has no TXT record with the text ${text}.` };
}

/** @throws what is no failure of the DNS */
function unanswered(error: unknown): DnsResult {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return { status: undefined, error: `The DNS did not answer: ${error.message}` };
}

async function aliasesOf(dns: Dns, hostname: string): Promise<string[]> {
  const found: string[] = [];
  for (let name: string | undefined = hostname; name !== undefined && found.length < MAX_ALIASES; ) {
    [name] = await dns.aliases(name);
    if (name === undefined || found.includes(name)) break;
    found.push(name);
  }
  return found;
}

/** At the top of a domain there can be no alias, so its addresses tell. */
async function sharesAddress(dns: Dns, hostname: string, own: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([dns.addresses(hostname), dns.addresses(own)]);
  return theirs.some((address) => ours.includes(address));
}
