import { LRUCache } from 'lru-cache';

/** Rows that were read of indexes, by the version of the index and what they were asked for by. */
type RowCache<Row> = LRUCache<string, readonly Row[]>;

/** @param maxSize in bytes, about */
export const rowCache = <Row extends object>(maxSize: number, sizeOf: (row: Row) => number): RowCache<Row> =>
  new LRUCache<string, readonly Row[]>({
    maxSize,
    sizeCalculation: (rows, key) => rows.reduce((sum, row) => sum + sizeOf(row), 200 + 2 * key.length),
  });

/**
 * The rows for some keys, from a cache where they are there.
 * @param version of the index, read before: what is cached for another version is not found
 * @param read reads the rows for the keys that are not cached
 */
export async function cachedRows<Row extends object>(
  cache: RowCache<Row>,
  version: string,
  keys: readonly string[],
  keyOf: (row: Row) => string,
  read: (keys: string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: (readonly Row[])[] = [];
  const missing: string[] = [];
  for (const key of new Set(keys)) {
    const rows = cache.get(`${version} ${key}`);
    if (rows) found.push(rows);
    else missing.push(key);
  }
  if (missing.length === 0) return found.flat();
  const rows = await read(missing);
  const byKey = Map.groupBy(rows, keyOf);
  for (const key of missing) cache.set(`${version} ${key}`, byKey.get(key) ?? []);
  return [...found, rows].flat();
}
