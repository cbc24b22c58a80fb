import { LRUCache } from 'lru-cache';
import type { Document } from './document/document.api.ts';
import { serializeMarkdown } from './document/markdown.ts';

/** Rough bytes of Markdown kept in memory. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** By the address of the document, which is the hash of its content: what is kept never needs to be invalidated. */
const cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES });

/** The Markdown of a document, read and written at most once while it is asked for. */
export async function writtenMarkdown(
  address: string,
  read: (address: string) => Promise<Document>,
): Promise<string> {
  const known = cache.get(address);
  if (known !== undefined) return known;
  const markdown = serializeMarkdown(await read(address));
  // Text takes a byte or two a character; the rest is the address and its place in the cache.
  cache.set(address, markdown, { size: 200 + markdown.length * 2 });
  return markdown;
}
