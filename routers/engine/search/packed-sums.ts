/**
 * What is summed up for each document: the worth of the words of a query that it contains, their share of the query, and how many
 * of them are required. All three are fields of one integer, so that a posting takes one addition.
 */

import { impactOf } from './impacts.ts';

/** Units of worth, the lowest field, per unit of a score. */
export const WORTH_UNITS = 80_000;
/** The share of all words. The sum of their shares may differ a little, because these are rounded. */
export const WHOLE = 2 ** 14;
/** Shares are compared in steps of 2 to the power of this. Each word makes up at least one step. */
export const STEP_BITS = 2;
/** What one unit of share, and one required word, add to a sum. */
const SHARE_UNIT = 2 ** 30;
const SHARE_BITS = 15;
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

/** The higher two fields of a sum, as one integer of 22 bits, from which the functions below take them. */
export const highFieldsOf = (sum: number): number => (sum / SHARE_UNIT) | 0;

/** In units of 1 / {@link WORTH_UNITS}. */
export const worthIn = (sum: number, highFields: number): number => sum - highFields * SHARE_UNIT;

/** The share of the words, from 0 to about {@link WHOLE}. */
export const shareIn = (highFields: number): number => highFields & (2 ** SHARE_BITS - 1);

export const requiredIn = (highFields: number): number => highFields >> SHARE_BITS;
