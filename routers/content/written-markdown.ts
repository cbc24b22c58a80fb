import { LRUCache } from 'lru-cache';

/** Rough bytes of Markdown kept in memory. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** By the address of the document, which is the hash of its content: what is kept never needs to be invalidated. */
const cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES });

/** The Markdown of a document, written at most once while it is asked for. */
export async function writtenMarkdown(address: string, write: () => Promise<string>): Promise<string> {
  const known = cache.get(address);
  if (known !== undefined) return known;
  const markdown = await write();
  // Text takes a byte or two a character; the rest is the address and its place in the cache.
  cache.set(address, markdown, { size: 200 + markdown.length * 2 });
  return markdown;
}
