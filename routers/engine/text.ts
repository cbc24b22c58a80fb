/** Helpers for plain texts. Lengths are in UTF-16 code units, unless stated otherwise. */

const MARK = /\p{M}/u;

/** A text of at most `length`, with an ellipsis at its end if it was longer. A character keeps its combining marks. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length - 1;
  while (end > 0 && MARK.test(text.charAt(end))) end -= 1;
  return `${text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The first `count` code points of a text, such as a database column may hold, without an ellipsis. */
export const firstCharacters = (text: string, count: number): string =>
  // A code point has at most two code units: the rest of a long text is not read.
  text.length <= count ? text : [...text.slice(0, 2 * count)].slice(0, count).join('');

/** The index after the line at `start`, including its line ending: `\n`, `\r\n` or `\r`. */
export function lineEndAfter(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return at + 1;
    if (code === 13) return text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
  }
  return text.length;
}

/** The index of the first line at or after `start` that is not blank. */
export function skipBlankLines(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const end = lineEndAfter(text, at);
    if (text.slice(at, end).trim() !== '') break;
    at = end;
  }
  return at;
}
