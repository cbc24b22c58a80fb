import { LRUCache } from 'lru-cache';
import type { WrittenDocument } from '../engine/tasks/tasks.ts';

/** Approximate bytes of cached Markdown. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** By the hash of the document, and where it is labelled, of the root also: no entry is ever invalidated. */
const cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES });

/** The Markdown of a document in the content under a root, from the cache if possible. */
export async function writtenMarkdown(
  document: string,
  root: string,
  write: () => Promise<WrittenDocument>,
): Promise<string> {
  const inRoot = `${root} ${document}`;
  const known = cache.get(document) ?? cache.get(inRoot);
  if (known !== undefined) return known;
  const { markdown, isLabelled } = await write();
  // Text takes one or two bytes per character; the rest is the key and the cache entry.
  cache.set(isLabelled ? inRoot : document, markdown, { size: 300 + markdown.length * 2 });
  return markdown;
}
