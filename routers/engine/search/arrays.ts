/** Smaller arrays are allocated without the pool, in bytes. */
const MIN_POOLED_BYTES = 4096;

/** Maximum number of unused bytes that are kept for later searches. */
const MAX_SPARE_BYTES = 24 * 1024 * 1024;

/** Unused buffers by their length. */
const spare = new Map<number, ArrayBuffer[]>();
let spareBytes = 0;

function acquireBuffer(length: number): ArrayBuffer {
  const buffer = spare.get(length)?.pop();
  if (!buffer) return new ArrayBuffer(length);
  spareBytes -= length;
  return buffer;
}

function returnBuffer(buffer: ArrayBuffer): void {
  const { byteLength } = buffer;
  if (spareBytes + byteLength > MAX_SPARE_BYTES) return;
  spareBytes += byteLength;
  const sameLength = spare.get(byteLength);
  if (sameLength) sameLength.push(buffer);
  else spare.set(byteLength, [buffer]);
}

/**
 * The large arrays of one search, in buffers that later searches reuse: clearing memory is faster than allocating it, and
 * allocating megabytes for each search would keep the garbage collector busy.
 */
export class SearchArrays {
  #acquired: ArrayBuffer[] = [];

  /** Returns an array of zeros. */
  zeros(size: number): Float64Array {
    return this.doubles(size).fill(0);
  }

  /** Returns an array with arbitrary content, like {@link integers}. */
  doubles(size: number): Float64Array {
    return new Float64Array(this.#allocate(size * 8), 0, size);
  }

  integers(size: number): Int32Array {
    return new Int32Array(this.#allocate(size * 4), 0, size);
  }

  /** Returns an array of zeros. */
  zeroBytes(size: number): Uint8Array {
    return new Uint8Array(this.#allocate(size), 0, size).fill(0);
  }

  /** Returns the memory to the pool. The arrays must not be used afterwards. If this is not called, they become garbage. */
  release(): void {
    for (const buffer of this.#acquired) returnBuffer(buffer);
    this.#acquired = [];
  }

  #allocate(length: number): ArrayBuffer {
    if (length < MIN_POOLED_BYTES) return new ArrayBuffer(length);
    // Rounded up to a power of two, so that there are few different lengths.
    const buffer = acquireBuffer(2 ** Math.ceil(Math.log2(length)));
    this.#acquired.push(buffer);
    return buffer;
  }
}
