import { LRUCache } from 'lru-cache';
import type { MarkdownOutput } from '../engine/tasks/tasks.ts';

/** The approximate size of the cache, in bytes. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** By the hash of the document, and of the root, too, if its links have labels: no entry is ever invalidated. */
const cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES });

/**
 * The Markdown of a document in the content under a root, from the cache if possible. It is not cached if it is live, that is,
 * depends on more than this content.
 */
export async function cachedMarkdown(
  document: string,
  root: string,
  write: () => Promise<Pick<MarkdownOutput, 'markdown' | 'isLabelled'> & { isLive?: boolean }>,
): Promise<string> {
  const inRoot = `${root} ${document}`;
  const known = cache.get(document) ?? cache.get(inRoot);
  if (known !== undefined) return known;
  const { markdown, isLabelled, isLive = false } = await write();
  if (isLive) return markdown;
  // A character takes one or two bytes; the rest is for the key and the cache entry.
  cache.set(isLabelled ? inRoot : document, markdown, { size: 300 + markdown.length * 2 });
  return markdown;
}
