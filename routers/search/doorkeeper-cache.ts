import { LRUCache } from 'lru-cache';

interface Options<Value> {
  /** The approximate size of the values, in bytes. */
  maxSize: number;
  sizeOf(value: Value): number;
  /** How many recent keys are known. */
  maxKeys: number;
}

/**
 * A cache with a doorkeeper: a value is kept only if its key is offered a second time, so that what is used just once neither takes
 * the place of what is popular, nor outlives garbage collections.
 */
export class DoorkeeperCache<Value extends string | object> {
  readonly #values: LRUCache<string, Value>;
  readonly #known: LRUCache<string, true>;

  constructor({ maxSize, sizeOf, maxKeys }: Options<Value>) {
    this.#values = new LRUCache({ maxSize, sizeCalculation: sizeOf });
    this.#known = new LRUCache({ max: maxKeys });
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Offers a value. @param make returns it, or nothing if it must not be kept; called only if it would be kept */
  offer(key: string, make: () => Value | undefined): void {
    if (!this.#known.has(key)) {
      this.#known.set(key, true);
      return;
    }
    const value = make();
    if (value !== undefined) this.#values.set(key, value);
  }
}

/** The size of a string in memory, which takes one byte for each character unless some are beyond ASCII. */
export const stringBytes = (text: string): number =>
  (Buffer.byteLength(text) > text.length ? 2 : 1) * text.length;
