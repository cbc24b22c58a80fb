/**
 * The scores of documents for a query, which are computed only for those that are searched, from sums over the words of the
 * query: the worth of those that a document contains, their share of the query, and how many of them are required. All three are
 * fields of one integer, so that a posting takes one addition.
 */

import type { SearchArrays } from './arrays.ts';
import { impactOf } from './impacts.ts';

/** Units of worth, the lowest field, per unit of a score. */
const WORTH_UNITS = 80_000;
/** The share of all words. The sum of their shares may differ a little, because these are rounded. */
const WHOLE = 2 ** 14;
/** Shares are compared in steps of 2 to the power of this. Each word makes up at least one step. */
const STEP_BITS = 2;
/** What one unit of share, and one required word, add to a sum. */
const SHARE_UNIT = 2 ** 30;
const SHARE_BITS = 15;
const SHARE_MASK = 2 ** SHARE_BITS - 1;
const REQUIRED_UNIT = SHARE_UNIT * 2 ** SHARE_BITS;

/** A word of a query. */
export interface RankedWord {
  /** The highest worth of its terms per unit of impact. */
  importance: number;
  isRequired: boolean;
}

/**
 * Packs the fields of some words. The fields have 30, 15 and 7 bits: enough for the words of a query in four languages, in an
 * index of ten million documents. A double is exact up to 53 bits.
 */
export class SumPacker {
  readonly #total: number;

  /** @param total the importance of all words */
  constructor(total: number) {
    this.#total = total;
  }

  /** What a word adds to the sum of a document. */
  pack(word: RankedWord, worth: number): number {
    return unitsOf(worth) + this.#highFields(word);
  }

  /** What a term of a word adds by its impact. Packed one by one, the numbers would become garbage. @param worth per unit of impact */
  packByImpact(word: RankedWord, worth: number): Float64Array {
    const values = new Float64Array(256);
    const high = this.#highFields(word);
    for (let impact = 1; impact < 256; impact++) values[impact] = unitsOf(worth * impactOf(impact)) + high;
    return values;
  }

  #highFields({ importance, isRequired }: RankedWord): number {
    const share =
      importance === 0 ? 0 : Math.max(2 ** STEP_BITS, Math.round((importance / this.#total) * WHOLE));
    return share * SHARE_UNIT + (isRequired ? REQUIRED_UNIT : 0);
  }
}

/** An external search engine may return any score. */
const unitsOf = (worth: number): number =>
  Math.min(Math.max(Math.round(worth * WORTH_UNITS), 0), SHARE_UNIT - 1);

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

/** The numbers of documents, such as those of the pages of a space. */
export interface DocumentNumbers {
  /** The number of each document, minus the shift. */
  numbers: Int32Array;
  /** Added to each of the numbers. */
  shift: number;
}

/** What the words of a query add up to in each document, by its number; see {@link SumPacker}. */
interface Sums {
  sums: Float64Array;
  /** A bit for each document, set for those that may have a sum, if these are few. */
  marks: Int32Array | undefined;
}

export class Scores {
  /** The maximum possible score. */
  readonly max: number;
  /** The weight of each term, for scoring sections. */
  readonly weights: ReadonlyMap<string, number>;
  readonly #sums: Float64Array;
  readonly #marks: Int32Array | undefined;
  readonly #required: number;
  /** What is added to a score, by the step of the share. */
  readonly #bonuses: Float64Array;

  constructor(
    arrays: SearchArrays,
    { sums, marks }: Sums,
    { whole, allWordsBonus }: Combination,
    { max, weights }: { max: number; weights: ReadonlyMap<string, number> },
  ) {
    this.max = max;
    this.weights = weights;
    this.#sums = sums;
    this.#marks = marks;
    this.#required = highFieldsOf(whole) >> SHARE_BITS;
    this.#bonuses = arrays.zeros(SHARE_FACTORS.length);
    // guard: search-all-words-first
    this.#bonuses.fill(allWordsBonus, stepIn(highFieldsOf(whole)));
  }

  /** Adds those of some documents that have a score. */
  find(documents: DocumentNumbers, start: number, end: number, found: FoundDocuments): void {
    if (this.#marks) this.#findMarked(documents, start, end, found, this.#marks);
    else this.#findAny(documents, start, end, found);
  }

  /** Whether the document at an index has a score. */
  has({ numbers, shift }: DocumentNumbers, index: number): boolean {
    const sum = this.#sums[(numbers[index] as number) + shift] as number;
    return scoreOf(sum, this.#bonuses, this.#required) > 0;
  }

  /** Finds documents without branches, which would be mispredicted all the time. */
  #findAny({ numbers, shift }: DocumentNumbers, start: number, end: number, found: FoundDocuments): void {
    const { scores, indexes } = found;
    const sums = this.#sums;
    const bonuses = this.#bonuses;
    const required = this.#required;
    let { count } = found;
    for (let index = start; index < end; index++) {
      const sum = sums[(numbers[index] as number) + shift] as number;
      const score = scoreOf(sum, bonuses, required);
      scores[count] = score;
      indexes[count] = index;
      // 1 for a positive score; after 0, the next document takes its place.
      count += (0 - score) >>> 31;
    }
    found.count = count;
  }

  /** The same if most documents are known to have no score. */
  #findMarked(
    documents: DocumentNumbers,
    start: number,
    end: number,
    found: FoundDocuments,
    marks: Int32Array,
  ): void {
    const { numbers, shift } = documents;
    const { scores, indexes } = found;
    const first = found.count;
    let marked = first;
    for (let index = start; index < end; index++) {
      const document = (numbers[index] as number) + shift;
      indexes[marked] = index;
      marked += ((marks[document >>> 5] as number) >>> (document & 31)) & 1;
    }
    let count = first;
    for (let at = first; at < marked; at++) {
      const index = indexes[at] as number;
      const sum = this.#sums[(numbers[index] as number) + shift] as number;
      const score = scoreOf(sum, this.#bonuses, this.#required);
      if (score === 0) continue;
      scores[count] = score;
      indexes[count++] = index;
    }
    found.count = count;
  }
}

/** The higher two fields of a sum, as one integer of 22 bits. */
const highFieldsOf = (sum: number): number => (sum / SHARE_UNIT) | 0;

/** The step of the share of the words. */
const stepIn = (highFields: number): number => (highFields & SHARE_MASK) >> STEP_BITS;

/** The score of a document with this sum. Functions of other modules would not be inlined here, which takes twice as long. */
function scoreOf(sum: number, bonuses: Float64Array, required: number): number {
  const high = highFieldsOf(sum);
  const step = stepIn(high);
  const worth = sum - high * SHARE_UNIT;
  const score = (worth * (SHARE_FACTORS[step] as number) + (bonuses[step] as number) + 0.5) | 0;
  // 0 if a required word is missing, without a branch.
  return score & ~(((high >> SHARE_BITS) - required) >> 31);
}
