/** Words that differ by one edit. */

/** The shortest word in which an edit is forgiven. */
export const MIN_LENGTH = 5;

/** How often a misspelt word may occur, and how much commoner the right one must be. */
export const MAX_OCCURRENCES = 3;
export const COMMONER = 8;

/**
 * Where the words that differ from one by an edit are looked for: an edit leaves one half of a word intact, but for two
 * characters in the middle that changed places.
 */
export interface Halves {
  start: string;
  /** Reversed. */
  end: string;
  swapped: string;
  /** UTF-16 code units. */
  length: number;
}

export function halvesOf(word: string): Halves {
  const middle = word.length >> 1;
  const swapped =
    word.slice(0, middle - 1) + word.charAt(middle) + word.charAt(middle - 1) + word.slice(middle + 1);
  return {
    start: word.slice(0, middle),
    end: [...word.slice(middle)].reverse().join(''),
    swapped,
    length: word.length,
  };
}

/** Whether one insertion, deletion, replacement, or swap of neighbours makes one word the other. */
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
