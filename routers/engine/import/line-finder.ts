/** How many characters are searched in all for each character of the text: a hostile text has very many problems to report. */
const MOST_SEARCHED = 1000;
/** What one search costs at least, in characters. */
const SEARCH_COST = 20;

/** Matches what precedes the target of a link. */
const OPENING = /(?:[(<"']|: )$/;

/**
 * Finds the lines, from 1, of the parts of a text that a report mentions. They are looked for in about the order of the text: first
 * after the part that was found last. After very many searches without success, no more lines are found.
 */
export class LineFinder {
  readonly #text: string;
  readonly #from: number;
  #last: number;
  #left: number;
  #lineEnds: number[] | undefined;

  /** @param from where the searched part of the text begins */
  constructor(text: string, from = 0) {
    this.#text = text;
    this.#from = from;
    this.#last = from;
    this.#left = MOST_SEARCHED * text.length;
  }

  /** The line of some text. */
  lineOf(needle: string): number | undefined {
    return this.#lineAt(this.#find(needle, () => true));
  }

  /** The line of the target of a link, in any spelling; or else, of any mention of it. */
  lineOfLink(href: string): number | undefined {
    const spellings = new Set([
      href,
      href.replaceAll('&', '&#x26;'),
      href.replaceAll('&', '&amp;'),
      encodeURI(href.toWellFormed()),
    ]);
    const isTarget = (index: number) => OPENING.test(this.#text.slice(Math.max(0, index - 2), index));
    for (const accepts of [isTarget, () => true])
      for (const spelling of spellings) {
        const line = this.#lineAt(this.#find(spelling, accepts));
        if (line !== undefined) return line;
      }
    return undefined;
  }

  #find(needle: string, accepts: (index: number) => boolean): number | undefined {
    const last = this.#last;
    const found =
      this.#findBetween(last, this.#text.length, needle, accepts) ??
      this.#findBetween(this.#from, last, needle, accepts);
    if (found !== undefined) this.#last = found;
    return found;
  }

  #findBetween(
    start: number,
    end: number,
    needle: string,
    accepts: (index: number) => boolean,
  ): number | undefined {
    for (let from = start; from < end && this.#left > 0; ) {
      const index = this.#text.indexOf(needle, from);
      this.#left -= (index < 0 ? this.#text.length : index) - from + needle.length + SEARCH_COST;
      if (index < 0 || index >= end) return undefined;
      if (accepts(index)) return index;
      from = index + 1;
    }
    return undefined;
  }

  #lineAt(index: number | undefined): number | undefined {
    if (index === undefined) return undefined;
    this.#lineEnds ??= Array.from(this.#text.matchAll(/\n/g), ({ index: end }) => end);
    let [low, high] = [0, this.#lineEnds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lineEnds[middle] as number) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}
