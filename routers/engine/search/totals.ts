/** Sums up the words of a query for each document. */

import type { SearchArrays } from './arrays.ts';
import { type PostingList, scanSteps } from './posting-lists.ts';
import { decodePostings } from './postings.ts';

/** The posting list of a term that matches a word of a query. */
export interface WeightedList {
  list: PostingList;
  /** What the term adds to the sum of a document, by its impact there; 0 for impact 0. See `packed-sums.ts`. */
  values: Float64Array;
}

/** Documents with a sum are listed if at most one in this many can have one. */
const SPARSE_SHARE = 8;

/** How many sums are added to at a time, and how many between two chances to pause. */
const CACHED_SUMS = 2048;
const UNPAUSED_SUMS = 16 * CACHED_SUMS;

/** Sums up words by document number. */
export class Totals {
  /** The sums without the words with dense lists. */
  readonly sums: Float64Array;
  readonly #arrays: SearchArrays;
  /** The documents with a sum, if there can only be few. */
  readonly #listed: Int32Array | undefined;
  #listedCount = 0;
  /** What the best alternative of a word adds to a document's sum; all 0 between two words. */
  #best: Float64Array | undefined;
  /** The documents that contain a word, if they are few. */
  #sparse: Int32Array | undefined;
  /** The words with dense lists, which {@link allSums} and {@link sumsOf} add. */
  readonly #dense: DenseWord[] = [];

  /** @param maxMatches the highest possible number of documents with a sum, if all lists are encoded */
  constructor(arrays: SearchArrays, { size, maxMatches }: { size: number; maxMatches: number | undefined }) {
    this.#arrays = arrays;
    this.sums = arrays.zeros(size);
    if (maxMatches !== undefined && maxMatches * SPARSE_SHARE <= size)
      this.#listed = arrays.integers(maxMatches);
  }

  /** The numbers of the documents with a sum, in any order; undefined if there may be many. */
  get documents(): Int32Array | undefined {
    return this.#listed?.subarray(0, this.#listedCount);
  }

  /**
   * Adds a word. If a document contains several of its alternatives, the best one counts.
   * @returns the approximate number of steps it took
   */
  add(alternatives: readonly WeightedList[]): number {
    const [first] = alternatives;
    if (first?.list.kind === 'dense' && alternatives.length === 1) {
      this.#dense.push({ impacts: first.list.impacts, values: first.values });
      return 0;
    }
    if (first?.list.kind === 'encoded' && alternatives.length === 1)
      this.#addSingle(first.list.blocks, first.values);
    else this.#addBest(alternatives);
    return alternatives.reduce((sum, { list }) => sum + scanSteps(list), 0);
  }

  /**
   * Returns the complete sums of all documents. The words with dense lists are added to one part of the sums after the other,
   * because the processor's cache holds no more: six words take 0.7 ms instead of 1.4. To be called once.
   * @param countSteps called with the approximate number of steps made, to pause now and then
   */
  async allSums(countSteps: (steps: number) => Promise<void>): Promise<Float64Array> {
    const { sums } = this;
    if (this.#dense.length === 0) return sums;
    const { length } = sums;
    for (let start = 0; start < length; start += UNPAUSED_SUMS) {
      const end = Math.min(start + UNPAUSED_SUMS, length);
      addDense(sums, this.#dense, start, end);
      await countSteps(((end - start) * this.#dense.length) >> 1);
    }
    return sums;
  }

  /** Returns the complete sums of some documents. */
  sumsOf(documents: Int32Array): Float64Array {
    const { sums } = this;
    const some = this.#arrays.doubles(documents.length);
    for (let index = 0; index < documents.length; index++)
      some[index] = sums[documents[index] as number] as number;
    for (const { impacts, values } of this.#dense) addSome(some, documents, impacts, values);
    return some;
  }

  #addSingle(blocks: readonly Uint8Array[], values: Float64Array): void {
    const { sums } = this;
    const listed = this.#listed;
    for (const block of blocks) {
      const { documents, impacts, count } = decodePostings(block, sums.length);
      for (let index = 0; index < count; index++) {
        const document = documents[index] as number;
        const sum = sums[document] as number;
        if (listed && sum === 0) listed[this.#listedCount++] = document;
        sums[document] = sum + (values[impacts[index] as number] as number);
      }
    }
  }

  #addBest(alternatives: readonly WeightedList[]): void {
    const { sums } = this;
    const size = sums.length;
    this.#best ??= this.#arrays.zeros(size);
    const best = this.#best;
    this.#sparse ??= this.#arrays.integers(size);
    const sparse = alternatives.some(({ list }) => list.kind === 'dense') ? undefined : this.#sparse;
    let sparseCount = 0;
    for (const { list, values } of alternatives) {
      if (list.kind === 'dense') {
        const { impacts } = list;
        const end = Math.min(impacts.length, size);
        for (let document = 0; document < end; document++)
          best[document] = Math.max(best[document] as number, values[impacts[document] as number] as number);
        continue;
      }
      for (const block of list.blocks) {
        const { documents, impacts, count } = decodePostings(block, size);
        for (let index = 0; index < count; index++) {
          const document = documents[index] as number;
          const value = values[impacts[index] as number] as number;
          const known = best[document] as number;
          if (value <= known) continue;
          if (sparse && known === 0) sparse[sparseCount++] = document;
          best[document] = value;
        }
      }
    }
    const end = sparse ? sparseCount : size;
    const listed = this.#listed;
    for (let index = 0; index < end; index++) {
      const document = sparse ? (sparse[index] as number) : index;
      const value = best[document] as number;
      if (value === 0) continue;
      best[document] = 0;
      const sum = sums[document] as number;
      if (listed && sum === 0) listed[this.#listedCount++] = document;
      sums[document] = sum + value;
    }
  }
}

/** A word with a dense list. It is added without a branch, which would be mispredicted all the time. */
interface DenseWord {
  impacts: Uint8Array;
  values: Float64Array;
}

function addDense(sums: Float64Array, words: readonly DenseWord[], from: number, to: number): void {
  for (let start = from; start < to; start += CACHED_SUMS)
    // With `for ... of`, the compiler makes the inner loop twice as slow.
    for (let index = 0; index < words.length; index++) {
      const { impacts, values } = words[index] as DenseWord;
      addRange(sums, impacts, values, start, Math.min(start + CACHED_SUMS, to, impacts.length));
    }
}

function addRange(
  sums: Float64Array,
  impacts: Uint8Array,
  values: Float64Array,
  start: number,
  end: number,
): void {
  for (let document = start; document < end; document++)
    sums[document] = (sums[document] as number) + (values[impacts[document] as number] as number);
}

function addSome(sums: Float64Array, documents: Int32Array, impacts: Uint8Array, values: Float64Array): void {
  const { length } = impacts;
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] as number;
    // The list may be older than the document.
    if (document < length)
      sums[index] = (sums[index] as number) + (values[impacts[document] as number] as number);
  }
}
