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

/** Reads bytes in order. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  position: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.position = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#end;
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

  /** Reads some bytes as UTF-8. */
  text(length: number): string {
    const start = this.position;
    this.position += length;
    return this.#bytes.toString('utf8', start, this.position);
  }
}

/** The bytes as a buffer, which shares their memory. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** Reads the entries of a block in order. A query reads thousands of them, so nothing is allocated for one until it is asked for. */
export class EntryReader {
  readonly #block: Buffer;
  readonly #reader: ByteReader;
  #key = Buffer.allocUnsafe(256);
  #keyLength = 0;
  #valueStart = 0;

  constructor(block: Uint8Array) {
    this.#block = bufferOf(block);
    this.#reader = new ByteReader(this.#block);
  }

  /** Moves to the next entry. @returns false if there is none */
  next(): boolean {
    const reader = this.#reader;
    if (reader.isAtEnd) return false;
    const shared = reader.varint();
    const length = shared + reader.varint();
    if (length > this.#key.length) this.#key = Buffer.concat([this.#key], 2 * length);
    const [key, block] = [this.#key, this.#block];
    let from = reader.position;
    for (let at = shared; at < length; at++) key[at] = block[from++] as number;
    this.#keyLength = length;
    reader.position = from;
    const valueLength = reader.varint();
    this.#valueStart = reader.position;
    reader.position += valueLength;
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

  get value(): Buffer {
    return this.#block.subarray(this.#valueStart, this.#reader.position);
  }

  /** Returns a reader of the value. */
  readValue(): ByteReader {
    return new ByteReader(this.#block, this.#valueStart, this.#reader.position);
  }

  /** Compares the key with the bytes of another. */
  compareKey(other: Uint8Array): number {
    const length = Math.min(this.#keyLength, other.length);
    for (let at = 0; at < length; at++) {
      const difference = (this.#key[at] as number) - (other[at] as number);
      if (difference !== 0) return difference;
    }
    return this.#keyLength - other.length;
  }

  /** Whether the key begins with some bytes. */
  keyStartsWith(start: Uint8Array): boolean {
    if (start.length > this.#keyLength) return false;
    for (let at = 0; at < start.length; at++) if (this.#key[at] !== start[at]) return false;
    return true;
  }
}

/** The value of a key in a block; undefined if the block does not contain it. */
export function findValue(block: Uint8Array, key: string): Buffer | undefined {
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
