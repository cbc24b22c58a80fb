/** Keeps the results of searches that are repeated, so that popular queries are not searched again. */

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Maximum size of the results that are kept, in bytes. */
const RESULT_BYTES = 8 * 1024 * 1024;
/** How many recent searches are known, so that results are kept only for those that are repeated. */
const MAX_KNOWN = 2000;

/** Serialized, so that a caller cannot change the results of others, and the garbage collector has little to visit. */
const results = new LRUCache<string, string>({
  maxSize: RESULT_BYTES,
  // A string takes one byte for each character unless some are beyond ASCII.
  sizeCalculation: (json) => (Buffer.byteLength(json) > json.length ? 2 : 1) * json.length + 200,
});
const known = new LRUCache<string, true>({ max: MAX_KNOWN });

export interface Found<Result> {
  result: Result;
  /** Whether the result depends on nothing but the key. */
  isRepeatable(): boolean;
}

/**
 * Returns the kept result of the same search, or searches.
 * @param key everything that the result depends on
 */
export async function repeatedSearch<Result>(
  key: readonly unknown[],
  search: () => Promise<Found<Result>>,
): Promise<Result> {
  const digest = hash('sha256', JSON.stringify(key), 'base64url');
  const kept = results.get(digest);
  if (kept !== undefined) return JSON.parse(kept) as Result;
  const { result, isRepeatable } = await search();
  if (!known.has(digest)) known.set(digest, true);
  else if (isRepeatable()) results.set(digest, JSON.stringify(result));
  return result;
}
