import { hash } from 'node:crypto';
import { parseJson } from '../../../schema/json/parse-json.ts';
import { canonicalJson, type Json } from './canonical.ts';

/** The kind of a stored object, which is part of its hash. */
export type ObjectKind = 'document' | 'map' | 'root' | 'text';

export type StoredObject = { readonly kind: ObjectKind; readonly body: Json };

/** A new object with its canonical JSON. */
export type NewObject = StoredObject & { readonly json: string };

/** A stored object as JSON text, parsed on first access: some objects only pass through. */
export class ObjectText implements StoredObject {
  readonly kind: ObjectKind;
  /** Length of the text in UTF-16 code units. */
  readonly length: number;
  /** Dropped once it is parsed, so that only one form is kept in memory. */
  #json: string | undefined;
  #body: Json = null;

  constructor(kind: ObjectKind, json: string) {
    this.kind = kind;
    this.length = json.length;
    this.#json = json;
  }

  get body(): Json {
    if (this.#json !== undefined) {
      this.#body = parseJson(this.#json) as Json;
      this.#json = undefined;
    }
    return this.#body;
  }

  get json(): string {
    return this.#json ?? JSON.stringify(this.#body);
  }
}

/** Returns an object as JSON text. */
export const jsonOf = (object: StoredObject | NewObject): string =>
  'json' in object ? object.json : JSON.stringify(object.body);

/** The length of an object as JSON in UTF-16 code units, without serializing it; 0 if it is not known. */
export function lengthOf(object: StoredObject | NewObject): number {
  if (object instanceof ObjectText) return object.length;
  return 'json' in object ? object.json.length : 0;
}

/** Reads objects by hash, in one batch; throws if one of them does not exist. */
export interface ObjectReader {
  read(hashes: readonly string[]): Promise<Map<string, StoredObject>>;
}

/** For tasks that read no content. */
export const NO_OBJECTS: ObjectReader = { read: async () => new Map() };

/**
 * A reader to which new objects can be added. `pending` contains these by hash, without those that are known to exist
 * because they were read through this buffer. The caller saves them together with the revision that needs them.
 */
export interface ObjectBuffer extends ObjectReader {
  readonly pending: ReadonlyMap<string, NewObject>;
  /** Adds an object and returns its hash. The body must not be changed afterwards. */
  put(kind: ObjectKind, body: Json): string;
  /** Adds the pending objects of another buffer. */
  adopt(objects: Iterable<readonly [hash: string, object: NewObject]>): void;
}

/** Creates a buffer on top of a reader, for one operation. It caches objects, so that nothing is read twice. */
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

/** Reads an object; throws if it is of another kind. */
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
