/**
 * The encoding of posting lists: for each document, in order, the difference from the previous document number as a
 * variable-length integer, and the impact of the term as one byte.
 */

export interface Posting {
  document: number;
  /** From 1 to 255; see `impacts.ts`. */
  impact: number;
}

/**
 * Encodes a block of postings.
 * @param postings ordered by document
 */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const bytes = new Uint8Array(postings.length * 6);
  let at = 0;
  let previous = 0;
  for (const { document, impact } of postings) {
    let delta = document - previous;
    previous = document;
    while (delta > 127) {
      bytes[at++] = (delta & 127) | 128;
      delta >>>= 7;
    }
    bytes[at++] = delta;
    bytes[at++] = impact;
  }
  return bytes.slice(0, at);
}

/** Holds the block decoded last. The memory is reused, so that a query of many blocks allocates nothing for them. */
let decoded = { documents: new Int32Array(0), impacts: new Uint8Array(0) };

/**
 * Decodes a block.
 * @param size one more than the highest document number to decode
 * @returns its postings, which the next call overwrites, and their number
 */
export function decodePostings(
  block: Uint8Array,
  size = Number.POSITIVE_INFINITY,
): { documents: Int32Array; impacts: Uint8Array; count: number } {
  const { length } = block;
  // A posting takes at least two bytes.
  if (decoded.impacts.length < length >> 1)
    decoded = { documents: new Int32Array(length >> 1), impacts: new Uint8Array(length >> 1) };
  const { documents, impacts } = decoded;
  let count = 0;
  let document = 0;
  for (let at = 0; at + 1 < length; ) {
    let byte = block[at++] as number;
    let delta = byte & 127;
    for (let shift = 7; byte > 127 && at < length; shift += 7) {
      byte = block[at++] as number;
      delta |= (byte & 127) << shift;
    }
    document += delta;
    if (document >= size) break;
    documents[count] = document;
    impacts[count++] = block[at++] as number;
  }
  return { documents, impacts, count };
}

/** Calls `visit` for each posting in a block, in order. It must not decode another block. */
export function eachPosting(block: Uint8Array, visit: (document: number, impact: number) => void): void {
  const { documents, impacts, count } = decodePostings(block);
  for (let index = 0; index < count; index++) visit(documents[index] as number, impacts[index] as number);
}

/** Adds a number to all document numbers of a block. */
export function shiftPostings(block: Uint8Array, by: number): Uint8Array {
  let [delta, shift, at] = [0, 0, 0];
  for (let byte = 128; byte > 127 && at < block.length; shift += 7) {
    byte = block[at++] as number;
    delta |= (byte & 127) << shift;
  }
  const head: number[] = [];
  for (let number = delta + by; ; number >>>= 7) {
    head.push(number > 127 ? (number & 127) | 128 : number);
    if (number <= 127) break;
  }
  const shifted = new Uint8Array(head.length + block.length - at);
  shifted.set(head);
  shifted.set(block.subarray(at), head.length);
  return shifted;
}

/**
 * Merges several blocks into one.
 * @param blocks with document numbers that increase from block to block
 * @param isKept whether a document still exists; the postings of others are dropped
 */
export function mergePostings(
  blocks: readonly Uint8Array[],
  isKept: (document: number) => boolean,
): { block: Uint8Array; frequency: number } {
  const postings: Posting[] = [];
  for (const block of blocks)
    eachPosting(block, (document, impact) => {
      if (isKept(document)) postings.push({ document, impact });
    });
  return { block: encodePostings(postings), frequency: postings.length };
}
