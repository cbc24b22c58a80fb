import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../context.ts';
import {
  type NewObject,
  type ObjectKind,
  type ObjectReader,
  ObjectText,
  type StoredObject,
} from '../engine/store/objects.ts';
import { statement } from '../statement.ts';

/** Rough bytes of content kept in memory. Objects never change, so what is kept never needs to be invalidated. */
const CACHE_BYTES = 48 * 1024 * 1024;

/** Objects a statement; keeps its text and its parameters at a size that the server takes well. */
const BATCH = 500;

const cache = new LRUCache<string, StoredObject>({ maxSize: CACHE_BYTES });

/** What an object costs in memory, guessed from its text: parsed JSON takes a few times the room. */
const weigh = (length: number) => 200 + length * 3;

/**
 * Keeps a saved object, as it would be read: the next edit or merge begins with the nodes that this one wrote. One whose
 * transaction fails does no harm: it is asked for only by those who found it in content that is there.
 */
function remember(hash: string, { kind, json }: NewObject): void {
  // Documents are the bulk of what is written, and seldom needed again soon.
  if (kind !== 'document') cache.set(hash, new ObjectText(kind, json), { size: weigh(json.length) });
}

const readObjects = statement((db, hashes: string[]) =>
  db
    .selectFrom('content_object')
    // As text: the driver would parse at once what may be large, or go on to another process unread.
    .select(['hash', 'kind', sql<string>`body::text`.as('json')])
    .where('hash', '=', sql<string>`any(${hashes})`),
);

/** Reads objects from the database, and from memory those that were read before. */
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
        cache.set(hash, object, { size: weigh(json.length) });
        found.set(hash, object);
      }
      const lost = missing.find((hash) => !found.has(hash));
      if (lost) throw new Error(`content object ${lost} is missing`);
      return found;
    },
  };
}

/**
 * Writes new objects. One that is there already is touched, so that the collection of unreached objects spares it.
 * @returns how many were not there before.
 */
export async function saveObjects(db: Db, pending: ReadonlyMap<string, NewObject>): Promise<number> {
  // In the order of the hashes: two writers of the same objects wait for one another instead of in a circle.
  const objects = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
  let created = 0;
  for (let start = 0; start < objects.length; start += BATCH) {
    const batch = objects.slice(start, start + BATCH);
    // A parameter each, not arrays: the driver would have to write arrays of long texts as literals.
    const values = batch.map(([hash, { kind, json }]) => sql`(${hash}, ${kind}, ${json}::json, now())`);
    const rows = await sql<{ created: boolean }>`
      insert into content_object (hash, kind, body, created_at) values ${sql.join(values)}
      on conflict (hash) do update set created_at = now()
      returning xmax = 0 as created`.execute(db);
    created += rows.rows.filter((row) => row.created).length;
    for (const [hash, object] of batch) remember(hash, object);
  }
  return created;
}
