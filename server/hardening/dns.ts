import { Resolver } from 'node:dns/promises';
import type { Dns } from '../../routers/base/outbound-ports.ts';

/** How long a name server may take to respond, in milliseconds, and how often it is queried. */
const TIMEOUT = 3000;
const ATTEMPTS = 2;

/** The error codes for a name without such records, and for a name that does not exist. */
const NO_RECORDS = new Set<unknown>(['ENODATA', 'ENOTFOUND']);

/** Opens a resolver that queries the name servers of this machine. */
export function openDns(): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: ATTEMPTS });
  return {
    aliases: async (name) => (await emptyIfNone(resolver.resolveCname(name))).map(normalized),
    addresses: async (name) =>
      (
        await Promise.all([emptyIfNone(resolver.resolve4(name)), emptyIfNone(resolver.resolve6(name))])
      ).flat(),
    texts: async (name) => (await emptyIfNone(resolver.resolveTxt(name))).map((parts) => parts.join('')),
  };
}

async function emptyIfNone<Item>(lookup: Promise<Item[]>): Promise<Item[]> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_RECORDS.has(error.code)) return [];
    throw error;
  }
}

const normalized = (name: string): string => name.toLowerCase().replace(/\.$/, '');
