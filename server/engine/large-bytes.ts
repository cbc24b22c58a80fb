/**
 * Sends large bytes between processes in parts; the service sends one in each turn of the event loop. Copying megabytes into new memory takes
 * several milliseconds each, and a message is copied as a whole, repeatedly.
 */

import type { Fields } from '../../routers/engine/values.ts';

/** Maximum length of a part, in bytes. */
const PART = 1024 * 1024;

/** A part of bytes that belong to the next other message. */
export interface BytesPart {
  type: 'part';
  bytes: Uint8Array;
  /** The length of all parts of these bytes together. */
  total: number;
}

/** The path of bytes in a value. */
type Place = readonly string[];

/** A value without its large bytes. */
export interface Detached {
  value: unknown;
  /** Where the bytes belong, in the order in which they are sent. */
  places: Place[];
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** How deep bytes are in the inputs and outputs of tasks. */
const MAX_DEPTH = 2;

/** Takes large bytes out of a value, which stays as it is. */
export function detachBytes(value: unknown): Detached & { bytes: Uint8Array[] } {
  const bytes: Uint8Array[] = [];
  const places: Place[] = [];
  const without = (fields: Fields, above: Place): Fields => {
    let copy = fields;
    for (const [name, field] of Object.entries(fields)) {
      const place = [...above, name];
      let kept: unknown = field;
      if (field instanceof Uint8Array && field.length > PART) {
        bytes.push(field);
        places.push(place);
        kept = null;
      } else if (isFields(field) && place.length < MAX_DEPTH) kept = without(field, place);
      if (kept !== field) copy = { ...copy, [name]: kept };
    }
    return copy;
  };
  return { value: isFields(value) ? without(value, []) : value, places, bytes };
}

/** The parts of bytes, in order. */
export function* partsOf(all: readonly Uint8Array[]): Generator<BytesPart> {
  for (const bytes of all)
    for (let start = 0; start < bytes.length; start += PART)
      yield { type: 'part', bytes: bytes.subarray(start, start + PART), total: bytes.length };
}

/** Collects the parts of bytes that arrive before the message that they belong to. */
export class BytesReceiver {
  #bytes: Uint8Array[] = [];
  #missing = 0;

  add({ bytes, total }: BytesPart): void {
    if (this.#missing === 0) {
      this.#bytes.push(Buffer.allocUnsafeSlow(total));
      this.#missing = total;
    }
    this.#bytes.at(-1)?.set(bytes, total - this.#missing);
    this.#missing -= bytes.length;
  }

  /** Puts the collected bytes into the value that they were taken from. */
  attachTo({ value, places }: Detached): unknown {
    for (const [index, place] of places.entries()) {
      let fields = value as Fields;
      for (const name of place.slice(0, -1)) fields = fields[name] as Fields;
      fields[place.at(-1) as string] = this.#bytes[index];
    }
    this.#bytes = [];
    return value;
  }
}
