import { LRUCache } from 'lru-cache';
import type { Db } from '../../routers/base/db.ts';
import { readSiteStamp } from '../../routers/sites/stamp.query.ts';
import type { Visit } from './visit.ts';

/** Approximate bytes of what is known of addresses. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** What an address led anonymous readers to when the site had a stamp. */
interface Known {
  site: string;
  /** Undefined if it was not read before everything else: then it says nothing. */
  stamp: string | undefined;
  key: string;
  cacheControl: string;
}

/** What is remembered of an address for its next reader. */
export interface Remembered {
  /** The page that the address led to, if nothing has changed since. */
  page: Pick<Known, 'key' | 'cacheControl'> | undefined;
  /** Remembers what it leads to now. */
  keep(visit: Visit, page: Pick<Known, 'key' | 'cacheControl'>): void;
}

/**
 * Remembers which page addresses lead to, so that one statement tells whether it is still the same: reading a site as its
 * visitor takes several. Only of readers without a token, and not of sites that another service forwards requests to, whose
 * addresses others may claim.
 */
export function knownPages(db: Db): (address: string) => Promise<Remembered> {
  const known = new LRUCache<string, Known>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ stamp = '' }, address) => 300 + address.length + stamp.length,
  });
  return async (address) => {
    const before = known.get(address);
    const stamp = before && (await readSiteStamp(db, before.site))?.stamp;
    return {
      page: stamp !== undefined && before?.stamp === stamp ? before : undefined,
      keep({ published, contextId }, page) {
        if (!published || contextId !== undefined || published.site.proxy) {
          known.delete(address);
          return;
        }
        const { id } = published.site;
        // What was read before the stamp may be older than it.
        known.set(address, { ...page, site: id, stamp: before?.site === id ? stamp : undefined });
      },
    };
  };
}
