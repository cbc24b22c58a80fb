import {
  createObjectBuffer,
  type ObjectBuffer,
  type ObjectReader,
  type StoredObject,
} from '../../../routers/engine/store/objects.ts';

/** A store in memory that counts reads. */
export interface MemoryStore extends ObjectReader {
  readonly objects: Map<string, StoredObject>;
  reads: number;
  objectsRead: number;
}

export function createMemoryStore(): MemoryStore {
  const objects = new Map<string, StoredObject>();
  return {
    objects,
    reads: 0,
    objectsRead: 0,
    async read(hashes) {
      this.reads++;
      this.objectsRead += hashes.length;
      return new Map(
        hashes.map((hash) => {
          const object = objects.get(hash);
          if (!object) throw new Error(`Missing object ${hash}`);
          return [hash, object];
        }),
      );
    },
  };
}

/** Runs a write on a new buffer and saves the pending objects as JSON, like a database. */
export async function commit<T>(
  store: MemoryStore,
  write: (buffer: ObjectBuffer) => Promise<T> | T,
): Promise<T> {
  const buffer = createObjectBuffer(store);
  const result = await write(buffer);
  for (const [hash, { kind, json }] of buffer.pending)
    store.objects.set(hash, { kind, body: JSON.parse(json) });
  return result;
}
