import { LRUCache } from 'lru-cache';

/** Approximate bytes of cached Markdown. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** By the address of the document, which is the hash of its content: the cache is never invalidated. */
const cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES });

/** The Markdown of a document, from the cache if possible. */
export async function writtenMarkdown(address: string, write: () => Promise<string>): Promise<string> {
  const known = cache.get(address);
  if (known !== undefined) return known;
  const markdown = await write();
  // Text takes one or two bytes per character; the rest is the key and the cache entry.
  cache.set(address, markdown, { size: 200 + markdown.length * 2 });
  return markdown;
}
