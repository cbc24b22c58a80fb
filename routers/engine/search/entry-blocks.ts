/**
 * Blocks of sorted entries, as in the sorted tables of log-structured stores: an entry has a key and a value, and of each key
 * only what differs from the key before it is stored. On documentation with many identifiers, a row for each term and word took
 * nearly five times the space.
 */

/** A block is closed when it reaches this size, so that a row fits into a page of the database several times. */
const BLOCK_BYTES = 1000;

/** An entry with a larger value gets a block of its own, so that reading its neighbours is fast. */
const LARGE_VALUE = 500;

export interface Entry {
  key: string;
  value: Uint8Array;
}

/** Consecutive entries. */
export interface EntryBlock {
  /** The key of the first entry. */
  key: string;
  entries: number;
  block: Uint8Array;
}

/** The order of keys, which is that of their UTF-8 bytes, like in columns with the collation `C`. */
export const compareBytes = (one: Uint8Array, other: Uint8Array): number => Buffer.compare(one, other);

/** Packs entries with distinct keys, given in any order, into blocks. */
export function packEntries(entries: readonly Entry[]): EntryBlock[] {
  const sorted = entries
    .map(({ key, value }) => ({ key, value, bytes: Buffer.from(key) }))
    .sort((one, other) => compareBytes(one.bytes, other.bytes));
  const blocks: EntryBlock[] = [];
  let writer = new BlockWriter();
  const finish = () => {
    if (writer.entries > 0) blocks.push(writer.finish());
    writer = new BlockWriter();
  };
  for (const { key, value, bytes } of sorted) {
    const isLarge = value.length > LARGE_VALUE;
    if (isLarge || writer.size + bytes.length + value.length > BLOCK_BYTES) finish();
    writer.add(key, bytes, value);
    if (isLarge) finish();
  }
  finish();
  return blocks;
}

class BlockWriter {
  readonly #parts: Uint8Array[] = [];
  #first = '';
  #previous: Uint8Array = new Uint8Array();
  entries = 0;
  size = 0;

  add(key: string, bytes: Uint8Array, value: Uint8Array): void {
    if (this.entries++ === 0) this.#first = key;
    let shared = 0;
    while (shared < bytes.length && bytes[shared] === this.#previous[shared]) shared++;
    const suffix = bytes.subarray(shared);
    for (const part of [varint(shared), varint(suffix.length), suffix, varint(value.length), value]) {
      this.#parts.push(part);
      this.size += part.length;
    }
    this.#previous = bytes;
  }

  finish(): EntryBlock {
    return { key: this.#first, entries: this.entries, block: Buffer.concat(this.#parts) };
  }
}

/** Encodes a non-negative integer, seven bits to a byte, the lowest first. */
export function varint(number: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = number; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return Uint8Array.from(bytes);
  }
}

/** Reads bytes from their start to their end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#bytes.length;
  }

  /** Reads what {@link varint} wrote. */
  varint(): number {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.position++] ?? 0;
      number |= (byte & 127) << shift;
      if (byte <= 127) return number;
    }
  }

  bytes(length: number): Uint8Array {
    const start = this.position;
    this.position += length;
    return this.#bytes.subarray(start, this.position);
  }
}

/** Reads the entries of a block in order. */
export class EntryReader {
  readonly #reader: ByteReader;
  #key = Buffer.alloc(256);
  #keyLength = 0;
  #value: Uint8Array = new Uint8Array();

  constructor(block: Uint8Array) {
    this.#reader = new ByteReader(block);
  }

  /** Moves to the next entry. @returns false if there is none */
  next(): boolean {
    if (this.#reader.isAtEnd) return false;
    const shared = this.#reader.varint();
    const suffix = this.#reader.bytes(this.#reader.varint());
    const length = shared + suffix.length;
    if (length > this.#key.length) this.#key = Buffer.concat([this.#key], 2 * length);
    this.#key.set(suffix, shared);
    this.#keyLength = length;
    this.#value = this.#reader.bytes(this.#reader.varint());
    return true;
  }

  get key(): string {
    return this.#key.toString('utf8', 0, this.#keyLength);
  }

  /** The length of the key in UTF-16 code units. */
  get keyLength(): number {
    let length = 0;
    for (let at = 0; at < this.#keyLength; at++) {
      const byte = this.#key[at] as number;
      // Continuation bytes add nothing, and the first byte of four stands for a pair.
      if ((byte & 0xc0) !== 0x80) length += byte >= 0xf0 ? 2 : 1;
    }
    return length;
  }

  get value(): Uint8Array {
    return this.#value;
  }

  /** Compares the key with the bytes of another. */
  compareKey(other: Uint8Array): number {
    return compareBytes(this.#key.subarray(0, this.#keyLength), other);
  }

  /** Whether the key begins with some bytes. */
  keyStartsWith(start: Uint8Array): boolean {
    if (start.length > this.#keyLength) return false;
    for (let at = 0; at < start.length; at++) if (this.#key[at] !== start[at]) return false;
    return true;
  }
}

/** The value of a key in a block; undefined if the block does not contain it. */
export function findValue(block: Uint8Array, key: string): Uint8Array | undefined {
  const bytes = Buffer.from(key);
  const reader = new EntryReader(block);
  while (reader.next()) {
    const order = reader.compareKey(bytes);
    if (order === 0) return reader.value;
    if (order > 0) return undefined;
  }
  return undefined;
}

/** Calls `visit` for each entry of a block whose key begins with a text. The reader moves on with the next call. */
export function eachWithPrefix(block: Uint8Array, prefix: string, visit: (entry: EntryReader) => void): void {
  const bytes = Buffer.from(prefix);
  const reader = new EntryReader(block);
  while (reader.next()) {
    if (reader.keyStartsWith(bytes)) visit(reader);
    else if (reader.compareKey(bytes) > 0) return;
  }
}
