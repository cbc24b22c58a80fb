/** What is smaller is allocated as usual. In bytes. */
const LEAST = 4096;

/** The most bytes that no search uses, and that are kept for the next ones. */
const SPARE_BYTES = 24 * 1024 * 1024;

/** Memory that no search uses at present, by its length. */
const spare = new Map<number, ArrayBuffer[]>();
let spareBytes = 0;

function takeBytes(length: number): ArrayBuffer {
  const buffer = spare.get(length)?.pop();
  if (!buffer) return new ArrayBuffer(length);
  spareBytes -= length;
  return buffer;
}

function giveBack(buffer: ArrayBuffer): void {
  const { byteLength } = buffer;
  if (spareBytes + byteLength > SPARE_BYTES) return;
  spareBytes += byteLength;
  const alike = spare.get(byteLength);
  if (alike) alike.push(buffer);
  else spare.set(byteLength, [buffer]);
}

/**
 * The large arrays of one search, in memory that one search after the other uses: clearing some takes less than making it,
 * and megabytes for each search would keep the garbage collector busy.
 */
export class SearchArrays {
  #taken: ArrayBuffer[] = [];

  /** An array of zeros. */
  zeros(size: number): Float32Array {
    return new Float32Array(this.#take(size * 4), 0, size).fill(0);
  }

  /** An array of any numbers. */
  integers(size: number): Int32Array {
    return new Int32Array(this.#take(size * 4), 0, size);
  }

  copy(values: Int32Array): Int32Array {
    const copied = this.integers(values.length);
    copied.set(values);
    return copied;
  }

  /** Leaves the memory to other searches. None of the arrays may be read from then on. Without it, they are garbage. */
  release(): void {
    for (const buffer of this.#taken) giveBack(buffer);
    this.#taken = [];
  }

  #take(length: number): ArrayBuffer {
    if (length < LEAST) return new ArrayBuffer(length);
    // In powers of two, so that there are few kinds.
    const buffer = takeBytes(2 ** Math.ceil(Math.log2(length)));
    this.#taken.push(buffer);
    return buffer;
  }
}
