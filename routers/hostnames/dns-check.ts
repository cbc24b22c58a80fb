import type { Dns } from '../base/outbound-ports.ts';
import type { Hosting } from '../base/ports.ts';

/** The longest chain of aliases that is followed. */
const MAX_ALIASES = 8;

/** What the DNS records of a custom hostname must be. */
export interface ExpectedRecords {
  /** The hostname of the service, of which it may be an alias; whose it is has to be proved besides. */
  serviceHost: string;
  /** The subdomain of its organization: being an alias of it also proves whose the hostname is. */
  subdomain: string | undefined;
  /** The TXT record that proves it otherwise. */
  proof: { name: string; text: string };
}

/** The records that a custom hostname of an organization needs. */
export const expectedRecords = (
  { hostname: serviceHost, sitesDomain }: Hosting,
  custom: { hostname: string; organization: string; subdomain: string | null },
): ExpectedRecords => ({
  serviceHost,
  subdomain:
    sitesDomain === undefined || custom.subdomain === null ? undefined : `${custom.subdomain}.${sitesDomain}`,
  proof: proofOf(custom),
});

/** The TXT record that names the organization of a hostname. */
export const proofOf = ({ hostname, organization }: { hostname: string; organization: string }) => ({
  name: `_colophon.${hostname}`,
  text: organization,
});

/** The result of a check of DNS records; only `live` makes a hostname active. */
export type DnsResult =
  | { status: 'live' }
  | { status: 'dns_no_cname' | 'dns_wrong_cname'; error: string }
  /** The lookup failed: what was known stays. */
  | { status: undefined; error: string };

/**
 * Checks that a custom hostname points to the service, and that its owner wants it to point to this organization: a hostname
 * that still points here must not be open to the next who claims it.
 */
export async function checkDns(dns: Dns, hostname: string, expected: ExpectedRecords): Promise<DnsResult> {
  try {
    const aliases = await aliasesOf(dns, hostname);
    if (isSubdomainAmong(aliases, expected)) return { status: 'live' };
    const target = expected.subdomain ?? expected.serviceHost;
    if (
      !aliases.includes(expected.serviceHost) &&
      !(await sharesAddress(dns, hostname, expected.serviceHost))
    ) {
      const last = aliases.at(-1);
      return last === undefined
        ? { status: 'dns_no_cname', error: `${hostname} has no CNAME record that names ${target}.` }
        : { status: 'dns_wrong_cname', error: `${hostname} is an alias of ${last}, not of ${target}.` };
    }
    return await checkTextRecord(dns, expected);
  } catch (error) {
    return dnsFailure(error);
  }
}

/** Checks only that the owner of a hostname names this organization, for the host of a proxy, which points elsewhere. */
export async function checkProof(dns: Dns, hostname: string, expected: ExpectedRecords): Promise<DnsResult> {
  try {
    const isAlias = isSubdomainAmong(await aliasesOf(dns, hostname), expected);
    return isAlias ? { status: 'live' } : await checkTextRecord(dns, expected);
  } catch (error) {
    return dnsFailure(error);
  }
}

const isSubdomainAmong = (aliases: readonly string[], { subdomain }: ExpectedRecords): boolean =>
  subdomain !== undefined && aliases.includes(subdomain);

async function checkTextRecord(dns: Dns, { proof: { name, text } }: ExpectedRecords): Promise<DnsResult> {
  // guard: hostname-proof
  if ((await dns.texts(name)).includes(text)) return { status: 'live' };
  return { status: 'dns_no_cname', error: `${name} has no TXT record with the text ${text}.` };
}

/** The result of a failed lookup. @throws any other error */
function dnsFailure(error: unknown): DnsResult {
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

/** Whether two hostnames share an address: at the apex of a domain there can be no alias. */
async function sharesAddress(dns: Dns, hostname: string, serviceHost: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([dns.addresses(hostname), dns.addresses(serviceHost)]);
  return theirs.some((address) => ours.includes(address));
}
