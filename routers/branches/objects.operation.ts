import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import {
  type NewObject,
  type ObjectKind,
  type ObjectReader,
  ObjectText,
  type StoredObject,
} from '../engine/store/objects.ts';
import { statement } from '../sql/statement.ts';

/** The size of the cache in bytes, approximately. Objects never change, so the cache is never invalidated. */
const CACHE_BYTES = 48 * 1024 * 1024;

/** Objects per statement, which limits its parameters. */
const BATCH = 500;

/** Characters per statement, unless one object has more: the database stores them in a few milliseconds. */
const BATCH_LENGTH = 1_000_000;

const cache = new LRUCache<string, StoredObject>({ maxSize: CACHE_BYTES });

/** The memory that an object takes in bytes, estimated from the length of its text: parsed JSON takes several times as much. */
const estimateSize = (length: number) => 200 + length * 3;

/**
 * Caches a saved object, since the next edit or merge starts from the nodes that this one wrote. If the transaction fails,
 * the entry does no harm: objects are only read through content that exists.
 */
function cacheObject(hash: string, { kind, json }: NewObject): void {
  // Documents and texts are most of what is written, and are rarely read again soon.
  if (kind !== 'document' && kind !== 'text')
    cache.set(hash, new ObjectText(kind, json), { size: estimateSize(json.length) });
}

const readObjects = statement((db, hashes: string[]) =>
  db
    .selectFrom('content_object')
    // As text: the driver would parse objects right away, which may be large, or just be passed on to another process.
    .select(['hash', 'kind', sql<string>`body::text`.as('json')])
    .where('hash', '=', sql<string>`any(${hashes})`),
);

/** Reads objects from the cache or the database. */
export function objectReader(db: Db): ObjectReader {
  return {
    async read(hashes) {
      const found = new Map<string, StoredObject>();
      const missing: string[] = [];
      for (const hash of hashes) {
        const object = cache.get(hash);
        if (object) found.set(hash, object);
        else missing.push(hash);
      }
      if (missing.length === 0) return found;
      for (const { hash, kind, json } of await readObjects(db, missing)) {
        const object = new ObjectText(kind as ObjectKind, json);
        cache.set(hash, object, { size: estimateSize(json.length) });
        found.set(hash, object);
      }
      const lost = missing.find((hash) => !found.has(hash));
      if (lost) throw new Error(`content object ${lost} is missing`);
      return found;
    },
  };
}

/**
 * The same for maps that are read in parallel, level by level: their reads of one turn of the event loop become one batch.
 */
export function batchingReader(db: Db): ObjectReader {
  const reader = objectReader(db);
  let next: { hashes: Set<string>; found: Promise<Map<string, StoredObject>> } | undefined;
  return {
    read(hashes) {
      if (!next) {
        const wanted = new Set<string>();
        const found = setImmediate().then(() => {
          next = undefined;
          return reader.read([...wanted]);
        });
        next = { hashes: wanted, found };
      }
      for (const hash of hashes) next.hashes.add(hash);
      return next.found;
    },
  };
}

/**
 * Writes new objects. Existing ones are touched, so that garbage collection spares them.
 * @returns how many were not stored before
 */
export async function saveObjects(db: Db, pending: ReadonlyMap<string, NewObject>): Promise<number> {
  // In the order of the hashes, so that two writers of the same objects cannot deadlock.
  const objects = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
  let created = 0;
  for (const batch of splitIntoBatches(objects)) {
    // One parameter each, not arrays: the driver writes arrays as literals, which is slow for long texts.
    const values = batch.map(([hash, { kind, json }]) => sql`(${hash}, ${kind}, ${json}::json, now())`);
    const rows = await sql<{ created: boolean }>`
      insert into content_object (hash, kind, body, created_at) values ${sql.join(values)}
      on conflict (hash) do update set created_at = now()
      returning xmax = 0 as created`.execute(db);
    created += rows.rows.filter((row) => row.created).length;
    for (const [hash, object] of batch) cacheObject(hash, object);
  }
  return created;
}

/** Counts the objects that are not stored yet. */
export async function countNewObjects(db: Db, objects: ReadonlyMap<string, NewObject>): Promise<number> {
  const { stored } = await db
    .selectFrom('content_object')
    .select((eb) => eb.fn.countAll<string>().as('stored'))
    .where('hash', '=', sql<string>`any(${[...objects.keys()]})`)
    .executeTakeFirstOrThrow();
  return objects.size - Number(stored);
}

function* splitIntoBatches(objects: readonly [hash: string, object: NewObject][]) {
  let start = 0;
  let length = 0;
  for (const [index, [, { json }]] of objects.entries()) {
    if (index > start && (index - start === BATCH || length + json.length > BATCH_LENGTH)) {
      yield objects.slice(start, index);
      start = index;
      length = 0;
    }
    length += json.length;
  }
  if (start < objects.length) yield objects.slice(start);
}
