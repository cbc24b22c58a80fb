/** Sums up the words of a query for each document. */

import type { SearchArrays } from './arrays.ts';
import type { PostingList } from './posting-lists.ts';
import { decodePostings } from './postings.ts';

/** The posting list of a term that matches a word of a query. */
export interface WeightedList {
  list: PostingList;
  /** What the term adds to a document's score, by its impact there; 0 for impact 0. */
  worths: Float32Array;
}

/** Documents with a sum are listed if at most one in this many can have one. */
const SPARSE_SHARE = 8;

/** Sums by document number. */
export class Totals {
  readonly scores: Float32Array;
  /** The sum of the importances of the words that a document contains. */
  readonly shares: Float32Array;
  /** How many required words a document contains; empty if no word is required. */
  readonly requiredCounts: Float32Array;
  readonly #arrays: SearchArrays;
  /** The documents with a sum, if there can only be few. */
  readonly #listed: Int32Array | undefined;
  #listedCount = 0;
  /** What the best alternative of a word adds to a document's score; all 0 between two words. */
  #best: Float32Array | undefined;
  /** The documents that contain a word, if they are few. */
  #sparse: Int32Array | undefined;
  /** A dense word that waits for the next one: two in one pass take little longer than one. */
  #pending: DenseWord | undefined;

  /** @param maxMatches the highest possible number of documents with a sum, if all lists are encoded */
  constructor(
    arrays: SearchArrays,
    { size, hasRequired, maxMatches }: { size: number; hasRequired: boolean; maxMatches: number | undefined },
  ) {
    this.#arrays = arrays;
    this.scores = arrays.zeros(size);
    this.shares = arrays.zeros(size);
    this.requiredCounts = arrays.zeros(hasRequired ? size : 0);
    if (maxMatches !== undefined && maxMatches * SPARSE_SHARE <= size)
      this.#listed = arrays.integers(maxMatches);
  }

  /** The numbers of the documents with a sum, in any order; undefined if there may be many. */
  get documents(): Int32Array | undefined {
    return this.#listed?.subarray(0, this.#listedCount);
  }

  /** Adds a word. If a document contains several of its alternatives, the best one counts. */
  add(
    alternatives: readonly WeightedList[],
    { importance, isRequired }: { importance: number; isRequired: boolean },
  ): void {
    const [first] = alternatives;
    if (first && alternatives.length === 1 && !isRequired) this.#addSingle(first, importance);
    else this.#addBest(alternatives, importance, isRequired);
  }

  /** Adds the word that is still waiting. The sums are complete only after this. */
  finish(): void {
    if (this.#pending) addDense(this, this.#pending);
    this.#pending = undefined;
  }

  #addSingle({ list, worths }: WeightedList, importance: number): void {
    if (list.kind === 'dense') {
      const word = { impacts: list.impacts, worths, shares: new Float32Array(256).fill(importance, 1) };
      if (this.#pending) addTwoDense(this, this.#pending, word);
      this.#pending = this.#pending ? undefined : word;
      return;
    }
    const { scores, shares } = this;
    const listed = this.#listed;
    for (const block of list.blocks) {
      const { documents, impacts, count } = decodePostings(block, scores.length);
      for (let index = 0; index < count; index++) {
        const document = documents[index] as number;
        if (listed && shares[document] === 0) listed[this.#listedCount++] = document;
        scores[document] = (scores[document] as number) + (worths[impacts[index] as number] as number);
        shares[document] = (shares[document] as number) + importance;
      }
    }
  }

  #addBest(alternatives: readonly WeightedList[], importance: number, isRequired: boolean): void {
    const { scores, shares, requiredCounts } = this;
    const size = scores.length;
    this.#best ??= this.#arrays.zeros(size);
    const best = this.#best;
    this.#sparse ??= this.#arrays.integers(size);
    const sparse = alternatives.some(({ list }) => list.kind === 'dense') ? undefined : this.#sparse;
    let sparseCount = 0;
    for (const { list, worths } of alternatives) {
      if (list.kind === 'dense') {
        const { impacts } = list;
        const end = Math.min(impacts.length, size);
        for (let document = 0; document < end; document++)
          best[document] = Math.max(best[document] as number, worths[impacts[document] as number] as number);
        continue;
      }
      for (const block of list.blocks) {
        const { documents, impacts, count } = decodePostings(block, size);
        for (let index = 0; index < count; index++) {
          const document = documents[index] as number;
          const worth = worths[impacts[index] as number] as number;
          const value = best[document] as number;
          if (worth <= value) continue;
          if (sparse && value === 0) sparse[sparseCount++] = document;
          best[document] = worth;
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
      if (listed && shares[document] === 0) listed[this.#listedCount++] = document;
      scores[document] = (scores[document] as number) + value;
      shares[document] = (shares[document] as number) + importance;
      if (isRequired) requiredCounts[document] = (requiredCounts[document] as number) + 1;
    }
  }
}

/** A word with a dense list. It is added without a branch, which would be mispredicted all the time. */
interface DenseWord {
  impacts: Uint8Array;
  worths: Float32Array;
  shares: Float32Array;
}

function addDense({ scores, shares }: Totals, word: DenseWord, start = 0): void {
  const end = Math.min(word.impacts.length, scores.length);
  for (let document = start; document < end; document++) {
    const impact = word.impacts[document] as number;
    scores[document] = (scores[document] as number) + (word.worths[impact] as number);
    shares[document] = (shares[document] as number) + (word.shares[impact] as number);
  }
}

function addTwoDense(totals: Totals, one: DenseWord, other: DenseWord): void {
  const { scores, shares } = totals;
  const end = Math.min(one.impacts.length, other.impacts.length, scores.length);
  for (let document = 0; document < end; document++) {
    const impact = one.impacts[document] as number;
    const otherImpact = other.impacts[document] as number;
    scores[document] =
      (scores[document] as number) + (one.worths[impact] as number) + (other.worths[otherImpact] as number);
    shares[document] =
      (shares[document] as number) + (one.shares[impact] as number) + (other.shares[otherImpact] as number);
  }
  addDense(totals, one, end);
  addDense(totals, other, end);
}
