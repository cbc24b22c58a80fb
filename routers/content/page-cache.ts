import { LRUCache } from 'lru-cache';
import { SerializedDocument } from '../engine/document/serialized-document.ts';
import { cacheOutput } from '../response/output.ts';

/** Approximate bytes of pages kept as they were presented. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** What takes more is not kept: it would displace too many others. */
const MAX_ENTRY = CACHE_BYTES / 8;

const cache = new LRUCache<string, object>({ maxSize: CACHE_BYTES, maxEntrySize: MAX_ENTRY });

/** What decides how pages of stored content are presented: no entry is ever invalidated. */
interface Presented {
  /** The URL of the space in the web app: content may be shared by several spaces. */
  space: string;
  root: string;
  /** Whether git metadata is shown. */
  metadata: boolean;
  /** Whether computed pages may be shown. */
  computed: boolean;
  /** Of a page; without it, the list of all pages. */
  page?: { id: string; format: 'markdown' | 'document' };
}

/** Finds pages presented before, and keeps those presented now, by all that decides what they look like. */
export const cachedPages = <Output extends object>({ space, root, metadata, computed, page }: Presented) => {
  // The only text of the caller's comes last, so that it cannot be taken for another part.
  const key = `${space} ${root} ${metadata} ${computed} ${page ? `${page.format} ${page.id}` : ''}`;
  return {
    get: () => cache.get(key) as Output | undefined,
    keep(output: Output): void {
      cache.set(key, cacheOutput(output), { size: key.length * 2 + weigh(output) });
    },
  };
};

/**
 * Approximate bytes of an output before and after it is checked, which share their texts, and of its JSON. Of one too
 * large to be kept, not all is counted.
 */
function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length * 4;
  if (value instanceof SerializedDocument) return value.json.length * 4;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 200;
  for (const member of Object.values(value)) {
    bytes += 50 + weigh(member);
    if (bytes > MAX_ENTRY) break;
  }
  return bytes;
}
