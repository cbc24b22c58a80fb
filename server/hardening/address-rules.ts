import { lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All addresses: for URLs that the operator has configured, which may be on this machine. */
export const ANY_ADDRESS = ['0.0.0.0/0', '::/0'];

/** A request that is not allowed or has failed; the message is a plain sentence. */
export class OutboundError extends Error {}

const PRIVATE_NETWORK = 'The URL belongs to a private network, which this service does not access.';

/** The addresses to which connections are allowed. */
export interface AddressRules {
  /** @throws OutboundError if a URL may not be requested, as far as this is known before its name is looked up */
  requireAllowed(url: URL): void;
  /** Looks up a name, and rejects it if any of its addresses is not allowed. */
  lookup: LookupFunction;
}

/** Allows public addresses, and those in some private ranges, as CIDR. */
export function addressRules(allowed: readonly string[]): AddressRules {
  const ranges = allowed.map((range) => ipaddr.parseCIDR(range));
  const isAllowed = (address: string) => isPublic(address) || isWithin(address, ranges);
  return {
    requireAllowed({ protocol, hostname, username, password }) {
      if (protocol !== 'http:' && protocol !== 'https:')
        throw new OutboundError('Only http and https URLs can be read.');
      if (username || password) throw new OutboundError('The URL must not contain a user name or password.');
      // A host that is an IP address is never looked up.
      const host = hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) && !isAllowed(host)) throw new OutboundError(PRIVATE_NETWORK);
    },
    lookup(hostname, options, callback) {
      resolveName(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isAllowed(address)))
          return callback(new OutboundError(PRIVATE_NETWORK), '', 0);
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
      });
    },
  };
}

/** All global IPv6 addresses that are in use. Others, such as `::127.0.0.1`, may lead anywhere. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Whether an address is public; an IPv4-mapped IPv6 address counts as IPv4. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // guard: outbound-ipv6
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6));
}

function isWithin(address: string, ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range));
}
