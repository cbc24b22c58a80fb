import { Resolver } from 'node:dns/promises';
import type { Dns } from '../../routers/base/outbound-ports.ts';

/** The time that a name server has to answer, in milliseconds, and how often it is asked. */
const TIMEOUT = 3000;
const TRIES = 2;

/** What the DNS answers for a name without such records, and for no name. */
const NONE = new Set<unknown>(['ENODATA', 'ENOTFOUND']);

/** Asks the name servers of this machine. */
export function openDns(): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
  return {
    aliases: async (name) => (await orNone(resolver.resolveCname(name))).map(withoutDot),
    addresses: async (name) =>
      (await Promise.all([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))])).flat(),
    texts: async (name) => (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join('')),
  };
}

async function orNone<Item>(answer: Promise<Item[]>): Promise<Item[]> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NONE.has(error.code)) return [];
    throw error;
  }
}

const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, '');
