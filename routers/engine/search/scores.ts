/** The scores of documents for a query, which are computed only for those that are searched. */

import type { SearchArrays } from './arrays.ts';
import { BLOCK_SIZE, type DocumentNumbers, emptyBlock } from './document-block.ts';
import { highFieldsOf, requiredIn, STEP_BITS, shareIn, WHOLE, WORTH_UNITS, worthIn } from './packed-sums.ts';
import type { Totals } from './totals.ts';

/** Scores are integers in units of 1 / this, so that the order of documents is always the same. */
export const PRECISION = 10_000;

/** What one unit of worth adds to a score. */
const SCORE_OF_WORTH = PRECISION / WORTH_UNITS;

/** The score of a unit of worth for each step of the share: mildly reduced, since missing words add nothing to the score anyway. */
const SHARE_FACTORS = Float64Array.from(
  { length: (2 * WHOLE) >> STEP_BITS },
  (_, step) => SCORE_OF_WORTH * Math.min(1, Math.sqrt(Math.sqrt((step << STEP_BITS) / WHOLE))),
);

/** How sums become scores. */
export interface Combination {
  /** The sum of all words without their worths. */
  whole: number;
  /** What is added to the score of a document with all words: more than the score of any that lacks one; 0 in a sentence. */
  allWordsBonus: number;
}

/** Documents with a score; only the first `count` elements of the arrays are used. */
export interface FoundDocuments {
  count: number;
  /** In units of 1 / {@link PRECISION}. */
  scores: Int32Array;
  /** The index of each document among the numbers that were searched. */
  indexes: Int32Array;
}

/** The block being scored. Nothing else runs in between. */
const block = emptyBlock();

export class Scores {
  /** The maximum possible score. */
  readonly max: number;
  /** The weight of each term, for scoring sections. */
  readonly weights: ReadonlyMap<string, number>;
  readonly #totals: Totals;
  readonly #required: number;
  /** What is added to a score, by the step of the share. */
  readonly #bonuses: Float64Array;
  /** 1 at the number of each document with an excluded word; empty if there is none. */
  readonly #excluded: Uint8Array;

  constructor(
    arrays: SearchArrays,
    totals: Totals,
    { whole, allWordsBonus }: Combination,
    { max, weights, excluded }: { max: number; weights: ReadonlyMap<string, number>; excluded: Uint8Array },
  ) {
    this.max = max;
    this.weights = weights;
    this.#totals = totals;
    this.#required = requiredIn(highFieldsOf(whole));
    this.#excluded = excluded;
    this.#bonuses = arrays.zeros(SHARE_FACTORS.length);
    // guard: search-all-words-first
    this.#bonuses.fill(allWordsBonus, shareIn(highFieldsOf(whole)) >> STEP_BITS);
  }

  /** The approximate number of steps it takes to score a document. */
  get stepsPerDocument(): number {
    return 1 + (this.#totals.termsPerDocument >> 1);
  }

  /** Adds those of some documents that have a score. */
  find(documents: DocumentNumbers, start: number, end: number, found: FoundDocuments): void {
    for (let from = start; from < end; from += BLOCK_SIZE) {
      this.#totals.fill(block, documents, from, Math.min(from + BLOCK_SIZE, end));
      this.#excludeFromBlock();
      this.#findInBlock(found);
    }
  }

  /** Whether the document at an index has a score. */
  has({ numbers, shift }: DocumentNumbers, index: number): boolean {
    this.#totals.fill(block, { numbers, shift }, index, index + 1);
    this.#excludeFromBlock();
    return block.count > 0 && scoreOf(block.sums[0] as number, this.#bonuses, this.#required) > 0;
  }

  #excludeFromBlock(): void {
    const excluded = this.#excluded;
    if (excluded.length === 0) return;
    const { documents, sums, count } = block;
    for (let at = 0; at < count; at++) if (excluded[documents[at] as number] === 1) sums[at] = 0;
  }

  /** Finds documents in the block, without branches, which take three times as long. */
  #findInBlock(found: FoundDocuments): void {
    const { sums, indexes, count: length } = block;
    const { scores, indexes: foundIndexes } = found;
    const bonuses = this.#bonuses;
    const required = this.#required;
    let { count } = found;
    for (let at = 0; at < length; at++) {
      const score = scoreOf(sums[at] as number, bonuses, required);
      scores[count] = score;
      foundIndexes[count] = indexes[at] as number;
      // 1 for a positive score; after 0, the next document takes its place.
      count += (0 - score) >>> 31;
    }
    found.count = count;
  }
}

/** The score of a document with this sum. */
function scoreOf(sum: number, bonuses: Float64Array, required: number): number {
  const high = highFieldsOf(sum);
  const step = shareIn(high) >> STEP_BITS;
  const factor = SHARE_FACTORS[step] as number;
  const score = (worthIn(sum, high) * factor + (bonuses[step] as number) + 0.5) | 0;
  // 0 if a required word is missing, without a branch.
  return score & ~((requiredIn(high) - required) >> 31);
}
