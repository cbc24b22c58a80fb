/** Keeps the results of searches that are repeated, so that popular queries are not searched again. */

import { hash } from 'node:crypto';
import { DoorkeeperCache, stringBytes } from './doorkeeper-cache.ts';

/** Serialized, so that a caller cannot change the results of others, and the garbage collector has little to visit. */
const results = new DoorkeeperCache<string>({
  maxSize: 8 * 1024 * 1024,
  sizeOf: (json) => stringBytes(json) + 200,
  maxKeys: 2000,
});

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
  results.offer(digest, () => (isRepeatable() ? JSON.stringify(result) : undefined));
  return result;
}
