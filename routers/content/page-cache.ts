import { LRUCache } from 'lru-cache';
import { SerializedDocument } from '../engine/document/serialized-document.ts';
import { cacheOutput } from '../response/output.ts';

/** The approximate size of the cache of presented pages, in bytes. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** Larger entries are not cached: they would displace too many others. */
const MAX_ENTRY = CACHE_BYTES / 8;

const cache = new LRUCache<string, object>({ maxSize: CACHE_BYTES, maxEntrySize: MAX_ENTRY });

/** All that determines how pages of stored content are presented: no entry is ever invalidated. */
interface PageCacheKey {
  /** The URL of the space in the web app: content may be shared by several spaces. */
  space: string;
  root: string;
  /** Whether git metadata is included. */
  metadata: boolean;
  /** Whether computed pages are included. */
  computed: boolean;
  /** The page that is cached; without it, the list of all pages. */
  page?: { id: string; format: 'markdown' | 'document' };
}

/** The cache entry of presented pages: gets what was presented before, or sets what is presented now. */
export const cachedPages = <Output extends object>({
  space,
  root,
  metadata,
  computed,
  page,
}: PageCacheKey) => {
  // The only part that the caller chooses freely comes last, so that it cannot pass for another part.
  const key = `${space} ${root} ${metadata} ${computed} ${page ? `${page.format} ${page.id}` : ''}`;
  return {
    get: () => cache.get(key) as Output | undefined,
    set(output: Output): void {
      cache.set(key, cacheOutput(output), { size: key.length * 2 + estimateSize(output) });
    },
  };
};

/**
 * The approximate size in bytes of an output before and after it is validated, which share their strings, and of its JSON.
 * Stops counting once the output is too large to be cached.
 */
function estimateSize(value: unknown): number {
  if (typeof value === 'string') return value.length * 4;
  if (value instanceof SerializedDocument) return value.json.length * 4;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 200;
  for (const member of Object.values(value)) {
    bytes += 50 + estimateSize(member);
    if (bytes > MAX_ENTRY) break;
  }
  return bytes;
}
