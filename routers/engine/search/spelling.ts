/** Spelling correction: words that differ by one edit. */

/** Minimum length of a word to be corrected. */
export const MIN_CORRECTED_LENGTH = 5;

/** How many documents may contain a misspelt word, and how many times as many must contain the correct one. */
export const MAX_MISSPELT_FREQUENCY = 3;
export const MIN_CORRECTION_RATIO = 8;

/**
 * How the words one edit away from a word are looked up: an edit leaves one half of a word intact, unless it swaps the two
 * characters in the middle.
 */
export interface NeighbourLookup {
  firstHalf: string;
  reversedSecondHalf: string;
  /** The word with the two characters in the middle swapped. */
  swapped: string;
  /** The length of the word, in UTF-16 code units. */
  length: number;
}

export function neighbourLookupOf(word: string): NeighbourLookup {
  const middle = word.length >> 1;
  const swapped =
    word.slice(0, middle - 1) + word.charAt(middle) + word.charAt(middle - 1) + word.slice(middle + 1);
  return {
    firstHalf: word.slice(0, middle),
    reversedSecondHalf: [...word.slice(middle)].reverse().join(''),
    swapped,
    length: word.length,
  };
}

/** Whether one insertion, deletion, replacement or swap of adjacent characters turns one word into the other. */
export function isOneEditApart(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const [left, right] = [one.slice(start, end), other.slice(start, otherEnd)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
