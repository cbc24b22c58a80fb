/**
 * The documents that have a term, each with what the term weighs in it: the numbers of the documents as differences in
 * variable-length integers, in order, each followed by one byte of impact.
 */

export interface Posting {
  document: number;
  /** 1 to 255: see `impacts.ts`. */
  impact: number;
}

/** @param postings in the order of their documents */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const bytes = new Uint8Array(postings.length * 6);
  let at = 0;
  let before = 0;
  for (const { document, impact } of postings) {
    let delta = document - before;
    before = document;
    while (delta > 127) {
      bytes[at++] = (delta & 127) | 128;
      delta >>>= 7;
    }
    bytes[at++] = delta;
    bytes[at++] = impact;
  }
  return bytes.slice(0, at);
}

/** The block decoded last. Its memory is used again, so that a query of many blocks allocates nothing for them. */
let decoded = { documents: new Int32Array(0), impacts: new Uint8Array(0) };

/**
 * Decodes a block.
 * @param size one more than the highest number of a document that is wanted
 * @returns its postings, which the next call overwrites, and how many they are
 */
export function decodePostings(
  block: Uint8Array,
  size = Number.POSITIVE_INFINITY,
): { documents: Int32Array; impacts: Uint8Array; count: number } {
  const { length } = block;
  // A posting has two bytes at least.
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

/** Calls `take` for each posting of a block, in order. It must not read another block. */
export function eachPosting(block: Uint8Array, take: (document: number, impact: number) => void): void {
  const { documents, impacts, count } = decodePostings(block);
  for (let index = 0; index < count; index++) take(documents[index] as number, impacts[index] as number);
}

/** The same postings of documents whose numbers are higher by some. */
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
 * The postings of several blocks as one.
 * @param blocks of documents whose numbers rise from block to block
 * @param isKept which documents are still there
 */
export function joinPostings(
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
