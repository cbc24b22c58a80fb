import { LRUCache } from 'lru-cache';

/** A value that was read or computed, and its approximate size in bytes. */
interface Sized<Value> {
  value: Value;
  size: number;
}

/** A cache of what is computed from stored files, by the hash of a file, which never changes. Concurrent callers share the work. */
export class FileCache<Value> {
  readonly #known: LRUCache<string, Sized<Value>>;
  readonly #inFlight = new Map<string, Promise<Value>>();

  /** @param maxSize approximately, in bytes */
  constructor(maxSize: number) {
    this.#known = new LRUCache({ maxSize, sizeCalculation: ({ size }) => size });
  }

  /** Returns the value for a file. If `read` fails, the next call reads again. */
  async get(hash: string, read: () => Promise<Sized<Value>>): Promise<Value> {
    const known = this.#known.get(hash);
    if (known) return known.value;
    let reading = this.#inFlight.get(hash);
    if (!reading) {
      reading = this.#read(hash, read).finally(() => this.#inFlight.delete(hash));
      this.#inFlight.set(hash, reading);
    }
    return reading;
  }

  async #read(hash: string, read: () => Promise<Sized<Value>>): Promise<Value> {
    const sized = await read();
    this.#known.set(hash, sized);
    return sized.value;
  }
}
