/** What the words of a query add up to in each document. */

import type { SearchArrays } from './arrays.ts';
import type { PostingList } from './posting-lists.ts';
import { decodePostings } from './postings.ts';

/** A term in which a word of a query may occur. */
export interface WeightedList {
  list: PostingList;
  /** What the word counts in a document, by the impact of the term there; 0 for impact 0. */
  worths: Float32Array;
}

/** Sums by the number of the document. */
export class Totals {
  readonly scores: Float32Array;
  /** The importances of the words that a document has, added up. */
  readonly shares: Float32Array;
  /** How many of the required words a document has; empty if none is required. */
  readonly requiredFound: Float32Array;
  readonly #arrays: SearchArrays;
  /** What the best of several alternatives is worth in a document; all 0 between two words. */
  #best: Float32Array | undefined;

  constructor(arrays: SearchArrays, { size, hasRequired }: { size: number; hasRequired: boolean }) {
    this.#arrays = arrays;
    this.scores = arrays.zeros(size);
    this.shares = arrays.zeros(size);
    this.requiredFound = arrays.zeros(hasRequired ? size : 0);
  }

  /** Adds a word: where a document has several of its alternatives, the best one counts. */
  add(
    alternatives: readonly WeightedList[],
    { importance, isRequired }: { importance: number; isRequired: boolean },
  ): void {
    const [first] = alternatives;
    if (first && alternatives.length === 1 && !isRequired) this.#addSingle(first, importance);
    else this.#addBest(alternatives, importance, isRequired);
  }

  #addSingle({ list, worths }: WeightedList, importance: number): void {
    const { scores, shares } = this;
    if (list.kind === 'dense') {
      const { impacts } = list;
      const gains = new Float32Array(256).fill(importance, 1);
      const end = Math.min(impacts.length, scores.length);
      // Without a condition, which would be mispredicted all the time.
      for (let document = 0; document < end; document++) {
        const impact = impacts[document] as number;
        scores[document] = (scores[document] as number) + (worths[impact] as number);
        shares[document] = (shares[document] as number) + (gains[impact] as number);
      }
      return;
    }
    for (const block of list.blocks) {
      const { documents, impacts, count } = decodePostings(block, scores.length);
      for (let index = 0; index < count; index++) {
        const document = documents[index] as number;
        scores[document] = (scores[document] as number) + (worths[impacts[index] as number] as number);
        shares[document] = (shares[document] as number) + importance;
      }
    }
  }

  #addBest(alternatives: readonly WeightedList[], importance: number, isRequired: boolean): void {
    const { scores, shares, requiredFound } = this;
    const size = scores.length;
    this.#best ??= this.#arrays.zeros(size);
    const best = this.#best;
    const sparse = alternatives.some(({ list }) => list.kind === 'dense')
      ? undefined
      : this.#arrays.integers(size);
    let found = 0;
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
          if (sparse && value === 0) sparse[found++] = document;
          best[document] = worth;
        }
      }
    }
    const end = sparse ? found : size;
    for (let index = 0; index < end; index++) {
      const document = sparse ? (sparse[index] as number) : index;
      const value = best[document] as number;
      if (value === 0) continue;
      best[document] = 0;
      scores[document] = (scores[document] as number) + value;
      shares[document] = (shares[document] as number) + importance;
      if (isRequired) requiredFound[document] = (requiredFound[document] as number) + 1;
    }
  }
}
