/** Sums up the words of a query for each document. */

import type { SearchArrays } from './arrays.ts';
import { type PostingList, scanSteps } from './posting-lists.ts';
import { decodePostings } from './postings.ts';

/** The posting list of a term that matches a word of a query. */
export interface WeightedList {
  list: PostingList;
  /** What the term adds to the sum of a document, by its impact there; 0 for impact 0. See `scores.ts`. */
  values: Float64Array;
}

/** Documents with a sum are marked if at most one in this many can have one. */
const SPARSE_SHARE = 8;

/** How many sums are added to at a time, and how many between two chances to pause. */
const CACHED_SUMS = 2048;
const UNPAUSED_SUMS = 16 * CACHED_SUMS;

/** Sums up words by document number. */
export class Totals {
  /** The sums without the words with dense lists. */
  readonly sums: Float64Array;
  readonly #arrays: SearchArrays;
  /** A bit for each document, set for those that may have a sum, if these can only be few: all others are then skipped quickly. */
  readonly marks: Int32Array | undefined;
  /** What the best alternative of a word adds to a document's sum; all 0 between two words. */
  #best: Float64Array | undefined;
  /** The documents that contain a word. */
  #matches: Int32Array | undefined;
  /** The words with dense lists, which {@link allSums} and {@link sumsOf} add. */
  readonly #dense: DenseWord[] = [];

  /** @param maxMatches the highest possible number of documents with a sum, if all lists are encoded */
  constructor(arrays: SearchArrays, { size, maxMatches }: { size: number; maxMatches: number | undefined }) {
    this.#arrays = arrays;
    this.sums = arrays.zeros(size);
    if (maxMatches !== undefined && maxMatches * SPARSE_SHARE <= size)
      this.marks = arrays.integers((size >>> 5) + 1).fill(0);
  }

  /**
   * Adds a word. If a document contains several of its alternatives, the best one counts.
   * @returns the approximate number of steps it took
   */
  add(alternatives: readonly WeightedList[]): number {
    const dense: DenseTerm[] = [];
    const encoded: EncodedTerm[] = [];
    let steps = 0;
    for (const { list, values } of alternatives) {
      if (list.kind === 'dense') dense.push({ impacts: list.impacts, values });
      else {
        encoded.push({ blocks: list.blocks, values });
        steps += scanSteps(list);
      }
    }
    if (dense.length > 0) this.#dense.push(dense);
    const [first, ...others] = encoded;
    if (first && others.length === 0 && dense.length === 0) this.#addSingle(first);
    else if (first) this.#addBest(encoded, dense);
    return steps;
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
    const terms = this.#dense.reduce((sum, word) => sum + word.length, 0);
    const best = this.#arrays.zeros(CACHED_SUMS);
    for (let start = 0; start < length; start += UNPAUSED_SUMS) {
      const end = Math.min(start + UNPAUSED_SUMS, length);
      addDense(sums, this.#dense, { start, end, best });
      await countSteps(((end - start) * terms) >> 1);
    }
    return sums;
  }

  /**
   * Returns the sums, which are complete only for some documents: of a large index, a search of a small space needs few. To be
   * called instead of {@link allSums}.
   * @param documents in any order, perhaps several times
   */
  sumsOf(documents: Int32Array): Float64Array {
    const { sums } = this;
    if (this.#dense.length === 0) return sums;
    const done = this.#arrays.integers((sums.length >>> 5) + 1).fill(0);
    for (let index = 0; index < documents.length; index++) {
      const document = documents[index] as number;
      const bits = done[document >>> 5] as number;
      const bit = 1 << (document & 31);
      if ((bits & bit) !== 0) continue;
      done[document >>> 5] = bits | bit;
      for (const word of this.#dense) sums[document] = (sums[document] as number) + bestOf(word, document);
    }
    return sums;
  }

  #addSingle({ blocks, values }: EncodedTerm): void {
    const { sums } = this;
    for (const block of blocks) {
      const { documents, impacts, count } = decodePostings(block, sums.length);
      for (let index = 0; index < count; index++) {
        const document = documents[index] as number;
        sums[document] = (sums[document] as number) + (values[impacts[index] as number] as number);
      }
      this.#mark(documents, count);
    }
  }

  #mark(documents: Int32Array, count: number): void {
    const { marks } = this;
    if (!marks) return;
    for (let index = 0; index < count; index++) {
      const document = documents[index] as number;
      marks[document >>> 5] = (marks[document >>> 5] as number) | (1 << (document & 31));
    }
  }

  /** Adds, where a term with an encoded list is the best alternative, what it is better by than those with dense lists. */
  #addBest(encoded: readonly EncodedTerm[], dense: DenseWord): void {
    const { sums } = this;
    const size = sums.length;
    this.#best ??= this.#arrays.zeros(size);
    this.#matches ??= this.#arrays.integers(size);
    const best = this.#best;
    const matches = this.#matches;
    let count = 0;
    for (const { blocks, values } of encoded)
      for (const block of blocks) {
        const decoded = decodePostings(block, size);
        for (let index = 0; index < decoded.count; index++) {
          const document = decoded.documents[index] as number;
          const value = values[decoded.impacts[index] as number] as number;
          const known = best[document] as number;
          if (value <= known) continue;
          if (known === 0) matches[count++] = document;
          best[document] = value;
        }
      }
    for (let index = 0; index < count; index++) {
      const document = matches[index] as number;
      const better = (best[document] as number) - bestOf(dense, document);
      best[document] = 0;
      if (better > 0) sums[document] = (sums[document] as number) + better;
    }
    this.#mark(matches, count);
  }
}

/** A term that is in few documents. */
interface EncodedTerm {
  blocks: readonly Uint8Array[];
  values: Float64Array;
}

/** A term that is in many documents. */
interface DenseTerm {
  impacts: Uint8Array;
  values: Float64Array;
}

/** The alternatives of a word that have dense lists. */
type DenseWord = readonly DenseTerm[];

/** What the best alternative adds to the sum of a document. The lists may be older than the document. */
function bestOf(word: DenseWord, document: number): number {
  let best = 0;
  for (const { impacts, values } of word)
    if (document < impacts.length) best = Math.max(best, values[impacts[document] as number] as number);
  return best;
}

/** Adds words to some sums, without branches, which would be mispredicted all the time. `best` is all 0, and stays so. */
function addDense(
  sums: Float64Array,
  words: readonly DenseWord[],
  { start, end, best }: { start: number; end: number; best: Float64Array },
): void {
  for (let from = start; from < end; from += CACHED_SUMS) {
    const to = Math.min(from + CACHED_SUMS, end);
    // With `for ... of`, the compiler makes the inner loop twice as slow.
    for (let index = 0; index < words.length; index++) {
      const word = words[index] as DenseWord;
      const [first] = word;
      if (first && word.length === 1) addRange(sums, first, from, Math.min(to, first.impacts.length));
      else addBestOfRange(sums, word, { from, to, best });
    }
  }
}

function addRange(sums: Float64Array, { impacts, values }: DenseTerm, from: number, to: number): void {
  for (let document = from; document < to; document++)
    sums[document] = (sums[document] as number) + (values[impacts[document] as number] as number);
}

function addBestOfRange(
  sums: Float64Array,
  word: DenseWord,
  { from, to, best }: { from: number; to: number; best: Float64Array },
): void {
  for (let index = 0; index < word.length; index++) {
    const { impacts, values } = word[index] as DenseTerm;
    const end = Math.min(to, impacts.length);
    for (let document = from; document < end; document++)
      best[document - from] = Math.max(
        best[document - from] as number,
        values[impacts[document] as number] as number,
      );
  }
  for (let document = from; document < to; document++)
    sums[document] = (sums[document] as number) + (best[document - from] as number);
  best.fill(0);
}
