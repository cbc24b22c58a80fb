import { LRUCache } from 'lru-cache';
import type { Db } from '../../routers/base/db.ts';
import { readSiteStamp } from '../../routers/sites/stamp.query.ts';
import type { Visit } from './visit.ts';

/** Approximate bytes of cached addresses. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** The page that an address led anonymous readers to while the site had a given stamp. */
interface CacheEntry {
  site: string;
  /** Undefined if it was not read before the page: the entry is then never used. */
  stamp: string | undefined;
  key: string;
  cacheControl: string;
}

/** A lookup of one address in the cache. */
export interface CachedAddress {
  /** The page that the address leads to, if nothing has changed since it was stored. */
  page: Pick<CacheEntry, 'key' | 'cacheControl'> | undefined;
  /** Stores the page that the address leads to now. */
  store(visit: Visit, page: Pick<CacheEntry, 'key' | 'cacheControl'>): void;
}

/**
 * Caches which page an address leads to, so that a single statement can confirm that it is still current; loading a site as
 * its visitor takes several. Only for readers without a token, and not for sites behind another service's proxy, whose
 * addresses others may claim.
 */
export function createAddressCache(db: Db): (address: string) => Promise<CachedAddress> {
  const cache = new LRUCache<string, CacheEntry>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ stamp = '' }, address) => 300 + address.length + stamp.length,
  });
  return async (address) => {
    const entry = cache.get(address);
    const stamp = entry && (await readSiteStamp(db, entry.site))?.stamp;
    return {
      page: stamp !== undefined && entry?.stamp === stamp ? entry : undefined,
      store({ published, contextId }, page) {
        if (!published || contextId !== undefined || published.site.proxy) {
          cache.delete(address);
          return;
        }
        const { id } = published.site;
        // A page that was read before the stamp may be older than it.
        cache.set(address, { ...page, site: id, stamp: entry?.site === id ? stamp : undefined });
      },
    };
  };
}
