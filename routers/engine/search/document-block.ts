/** A few documents at a time, in arrays that stay in the processor's cache while they are scored. */

/** Maximum number of documents in a block. */
export const BLOCK_SIZE = 2048;

/** The numbers of documents, such as those of the pages of a space. */
export interface DocumentNumbers {
  /** The number of each document, minus the shift. */
  numbers: Int32Array;
  /** Added to each of the numbers. */
  shift: number;
}

/** Some documents; only the first `count` elements of the arrays are used. */
export interface DocumentBlock {
  count: number;
  documents: Int32Array;
  /** The index of each document among the numbers that the block was filled from. */
  indexes: Int32Array;
  /** What the words of a query add up to; see `packed-sums.ts`. */
  sums: Float64Array;
}

export const emptyBlock = (): DocumentBlock => ({
  count: 0,
  documents: new Int32Array(BLOCK_SIZE),
  indexes: new Int32Array(BLOCK_SIZE),
  sums: new Float64Array(BLOCK_SIZE),
});
