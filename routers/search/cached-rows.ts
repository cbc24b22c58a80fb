import { LRUCache } from 'lru-cache';

/** Rows of indexes, by the version of the index and the key they were looked up by. */
type RowCache<Row> = LRUCache<string, readonly Row[]>;

/**
 * Creates a cache of rows.
 * @param maxSize approximately, in bytes
 */
export const rowCache = <Row extends object>(maxSize: number, sizeOf: (row: Row) => number): RowCache<Row> =>
  new LRUCache<string, readonly Row[]>({
    maxSize,
    sizeCalculation: (rows, key) => rows.reduce((sum, row) => sum + sizeOf(row), 200 + 2 * key.length),
  });

/**
 * Reads the rows for some keys, as far as possible from a cache.
 * @param version the version of the index; rows cached for another version are ignored
 * @param read reads the rows for keys that are not cached
 */
export async function cachedRows<Row extends object>(
  cache: RowCache<Row>,
  version: string,
  keys: readonly string[],
  keyOf: (row: Row) => string,
  read: (keys: string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const cached: (readonly Row[])[] = [];
  const missing: string[] = [];
  for (const key of new Set(keys)) {
    const rows = cache.get(`${version} ${key}`);
    if (rows) cached.push(rows);
    else missing.push(key);
  }
  if (missing.length === 0) return cached.flat();
  const rows = await read(missing);
  const byKey = Map.groupBy(rows, keyOf);
  for (const key of missing) cache.set(`${version} ${key}`, byKey.get(key) ?? []);
  return [...cached, rows].flat();
}
