/** Finds where the words of a query may begin in a text. */

import { FoldedText, lowerCase } from './folded-text.ts';

/** How many units at the beginning of a prefix lead to it. */
const LEAD = 3;

/**
 * The beginnings of the words of a stem. Its last letter may differ from theirs, as in "kei" of "key", or the last two, as in the
 * French "appliqu" of "application".
 */
function prefixesOf(term: string): string[] {
  if (term.length === 2) {
    const [first = '', last = ''] = term;
    return [term, ...(LAST_LETTERS[last] ?? []).map((letter) => first + letter)];
  }
  return [term.slice(0, term.length === LEAD ? LEAD - 1 : Math.max(LEAD, term.length - 2))];
}

/**
 * The letters of words that the last letter of a stem of two may stand for: "ai" is the stem of the English "ays", and "op" of the
 * Turkish "oba". Letters are folded one by one in texts, which gives no final sigma.
 */
const LAST_LETTERS: Readonly<Record<string, readonly string[]>> = {
  i: ['y'],
  p: ['b'],
  t: ['d'],
  k: ['g', 'ğ'],
  ç: ['c'],
  ς: ['σ'],
  σ: ['ς'],
};

/** What may join two letters that are adjacent in a term: the term of "e-mail" is "email". */
const JOINERS = [0x2e, 0x5f, 0x2d, 0x27, 0x2019];
const isJoiner = (unit: number): boolean => JOINERS.includes(unit);

/** The low bits of a code unit that prefixes are looked up by: the same for a letter and its capital. */
const UNIT_BITS = 5;
const UNIT_MASK = 2 ** UNIT_BITS - 1;
const UNITS = Array.from({ length: 2 ** UNIT_BITS }, (_, unit) => unit);
const WINDOW_MASK = 2 ** (LEAD * UNIT_BITS) - 1;

/** The low bits of three adjacent code units as one number. */
const windowOf = (one: number, two: number, three: number): number =>
  ((one & UNIT_MASK) << (2 * UNIT_BITS)) | ((two & UNIT_MASK) << UNIT_BITS) | (three & UNIT_MASK);

const SPACE = 0x20;

/**
 * The low bytes of the folded text that was set last, followed by two spaces, so that every position has two bytes after it. The
 * memory is shared by all scanners, because that of a query's own would outlive it until the next full garbage collection.
 */
let bytes = Buffer.alloc(0);

/**
 * Finds the words, or parts of identifiers, that begin like one of some terms. A table tells for the low bits of any three
 * adjacent code units which prefixes may begin there, so that nearly all of a text is skipped with one lookup for each unit. A
 * regular expression would have to be compiled for each query.
 */
export class CandidateScanner {
  /** By window, the index in {@link #groups} of the prefixes that may begin there. */
  readonly #table = new Uint16Array(WINDOW_MASK + 1);
  /** Group 0 is empty. */
  readonly #groups: (readonly string[])[] = [[]];
  readonly #text = new FoldedText();

  constructor(terms: readonly string[]) {
    const prefixesByWindow = new Map<number, string[]>();
    for (const prefix of new Set(terms.flatMap(prefixesOf)))
      for (const window of windowsOf(prefix)) {
        const known = prefixesByWindow.get(window);
        if (known) known.push(prefix);
        else prefixesByWindow.set(window, [prefix]);
      }
    for (const [window, prefixes] of prefixesByWindow) this.#table[window] = this.#groups.push(prefixes) - 1;
  }

  /** Sets the text to search, which must be finished before another scanner is given one. */
  start(text: string): void {
    const { length } = text;
    this.#text.set(text);
    if (bytes.length < length + 2) bytes = Buffer.allocUnsafe(2 * length + 2);
    bytes.write(this.#text.folded, 0, length, 'latin1');
    bytes[length] = SPACE;
    bytes[length + 1] = SPACE;
  }

  /** Whether a folded word may have one of the terms. */
  mayHaveTerm(word: string): boolean {
    return this.#beginsAt(word, 0);
  }

  /** Whether one of the prefixes begins at a position. */
  #beginsAt(text: string, at: number): boolean {
    const window = windowOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
    for (const prefix of this.#groups[this.#table[window] as number] as readonly string[])
      if (beginsWith(text, at, prefix)) return true;
    return false;
  }

  /** Returns the position of the next candidate; -1 if there is none. */
  next(from: number): number {
    const text = this.#text;
    const { folded } = text;
    const unfolded = text.nextUnfolded(from);
    const end = unfolded < 0 ? folded.length : unfolded;
    for (let start = from; start < end; ) {
      const at = nextWindow(this.#table, bytes, start, end + 2);
      if (at < 0) break;
      start = at + 1;
      if (!text.isWithinPart(at) && this.#beginsAt(folded, at)) return at;
    }
    return unfolded;
  }
}

/** The position of the next window with a group. A function of its own, because within `next`, the compiler makes the loop half as fast. */
function nextWindow(table: Uint16Array, bytes: Uint8Array, from: number, end: number): number {
  let window = windowOf(0, bytes[from] as number, bytes[from + 1] as number);
  for (let at = from + 2; at < end; at++) {
    window = ((window << UNIT_BITS) | ((bytes[at] as number) & UNIT_MASK)) & WINDOW_MASK;
    if (table[window] !== 0) return at - 2;
  }
  return -1;
}

/** The windows at which a prefix may begin: any of its first letters but the first may follow a joiner. */
function windowsOf(prefix: string): Set<number> {
  const [first, second, third] = [prefix.charCodeAt(0), prefix.charCodeAt(1), prefix.charCodeAt(2)];
  if (prefix.length === 1)
    return new Set(UNITS.flatMap((unit) => UNITS.map((other) => windowOf(first, unit, other))));
  const afterJoiner = JOINERS.map((joiner) => windowOf(first, joiner, second));
  const lasts = prefix.length === 2 ? UNITS : [third, ...JOINERS];
  return new Set([...afterJoiner, ...lasts.map((last) => windowOf(first, second, last))]);
}

/** Whether the letters of a prefix begin at a position, each but the first perhaps after a joiner. */
function beginsWith(text: string, start: number, prefix: string): boolean {
  if (lowerCase(text.charCodeAt(start)) !== prefix.charCodeAt(0)) return false;
  let at = start + 1;
  for (let index = 1; index < prefix.length; index++) {
    const wanted = prefix.charCodeAt(index);
    const unit = text.charCodeAt(at++);
    if (lowerCase(unit) === wanted) continue;
    if (!isJoiner(unit) || lowerCase(text.charCodeAt(at++)) !== wanted) return false;
  }
  return true;
}
