import { hash } from 'node:crypto';
import { canonicalJson, type Json } from './canonical.ts';

/** The kind of a stored object; it is part of the hash. */
export type ObjectKind = 'document' | 'map' | 'root' | 'text';

export type StoredObject = { readonly kind: ObjectKind; readonly body: Json };

/** A new object, with the canonical JSON that was hashed. */
export type NewObject = StoredObject & { readonly json: string };

/** An object as its stored text, parsed on first access: some only pass through. */
export class ObjectText implements StoredObject {
  readonly kind: ObjectKind;
  /** UTF-16 units of the text. */
  readonly length: number;
  /** Dropped once it is parsed, so that only one of the two is held. */
  #json: string | undefined;
  #body: Json = null;

  constructor(kind: ObjectKind, json: string) {
    this.kind = kind;
    this.length = json.length;
    this.#json = json;
  }

  get body(): Json {
    if (this.#json !== undefined) {
      this.#body = JSON.parse(this.#json);
      this.#json = undefined;
    }
    return this.#body;
  }

  get json(): string {
    return this.#json ?? JSON.stringify(this.#body);
  }
}

/** The JSON of an object, as text. */
export const jsonOf = (object: StoredObject | NewObject): string =>
  'json' in object ? object.json : JSON.stringify(object.body);

/** The length of that text in UTF-16 units, without building it. */
export function lengthOf(object: StoredObject | NewObject): number {
  if (object instanceof ObjectText) return object.length;
  return 'json' in object ? object.json.length : 0;
}

/** Reads objects by hash, all of a batch at once; throws when one of them does not exist. */
export interface ObjectReader {
  read(hashes: readonly string[]): Promise<Map<string, StoredObject>>;
}

/**
 * A reader that also takes new objects. `pending` holds, by hash, those that were put and that nothing read through
 * this buffer has shown to exist already: the caller saves them together with the revision that needs them.
 */
export interface ObjectBuffer extends ObjectReader {
  readonly pending: ReadonlyMap<string, NewObject>;
  /** Returns the object's hash. The body must not be changed afterwards. */
  put(kind: ObjectKind, body: Json): string;
  /** Adds everything that was put into another buffer. */
  adopt(objects: Iterable<readonly [hash: string, object: NewObject]>): void;
}

/** Opens a buffer over a reader for one operation; it caches what it read, so that nothing is read twice. */
export function createObjectBuffer(reader: ObjectReader): ObjectBuffer {
  const known = new Map<string, StoredObject>();
  const pending = new Map<string, NewObject>();
  return {
    pending,
    put(kind, body) {
      const json = canonicalJson(body);
      const address = hash('sha256', `${kind}\n${json}`);
      if (!known.has(address)) pending.set(address, { kind, body, json });
      return address;
    },
    adopt(objects) {
      for (const [address, object] of objects) if (!known.has(address)) pending.set(address, object);
    },
    async read(hashes) {
      const missing = [...new Set(hashes)].filter((address) => !known.has(address) && !pending.has(address));
      if (missing.length > 0) {
        for (const [address, object] of await reader.read(missing)) known.set(address, object);
      }
      const found = new Map<string, StoredObject>();
      for (const address of hashes) {
        const object = known.get(address) ?? pending.get(address);
        if (object) found.set(address, object);
      }
      return found;
    },
  };
}

/** Reads one object and checks its kind; throws when the store holds something else under that hash. */
export async function readObject(reader: ObjectReader, kind: ObjectKind, address: string): Promise<Json> {
  const bodies = await readObjects(reader, kind, [address]);
  return bodies.get(address) as Json;
}

/** Reads objects of one kind in one batch. */
export async function readObjects(
  reader: ObjectReader,
  kind: ObjectKind,
  addresses: readonly string[],
): Promise<Map<string, Json>> {
  const objects = addresses.length > 0 ? await reader.read([...new Set(addresses)]) : new Map();
  const bodies = new Map<string, Json>();
  for (const address of addresses) {
    const object = objects.get(address);
    if (object?.kind !== kind) throw new Error(`The store holds no ${kind} ${address}`);
    bodies.set(address, object.body);
  }
  return bodies;
}
