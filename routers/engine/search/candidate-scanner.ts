/** Finds where the words of a query may begin in a text. */

/** How much of a term is compared, in UTF-16 code units. */
const PREFIX_LENGTH = 3;

/** The last letter of a stem may differ from its words: the stem of "key" is "kei". */
const prefixOf = (term: string): string =>
  term.slice(0, term.length === PREFIX_LENGTH ? PREFIX_LENGTH - 1 : PREFIX_LENGTH);

/** Where a word of the query may begin with a character. */
const AFTER_NON_LETTER = 1;
const ANYWHERE = 2;

/** Between the codes of a letter and its capital. */
const CASE_DISTANCE = 32;

/** Whether a UTF-16 code unit is a lower-case letter of ASCII. */
const isLetter = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const lowerCase = (unit: number): number => (unit >= 0x41 && unit <= 0x5a ? unit + CASE_DISTANCE : unit);

/** What may join two letters that are adjacent in a term: the term of "e-mail" is "email". */
const JOINERS = [0x2e, 0x5f, 0x2d, 0x27, 0x2019];
const isJoiner = (unit: number): boolean => JOINERS.includes(unit);

/** Tables are indexed by the low byte of a code unit. Other units with the same low byte are told apart by the full comparison. */
const LOW_BYTE = 0xff;

/**
 * Finds the words, or parts of identifiers, that begin like one of some terms. Three tables tell for each byte which prefixes have
 * it as their first, second or third letter, so that nearly all of a text is skipped without a branch that depends on it: the
 * pages of a sentence take half the time of comparing first letters. A regular expression would have to be compiled for each query.
 */
export class CandidateScanner {
  readonly #prefixes: readonly string[];
  /** The prefixes, one bit each, with a byte at their first, second and third position; 32 or more share bits. */
  readonly #first = new Int32Array(LOW_BYTE + 1);
  readonly #second = new Int32Array(LOW_BYTE + 1);
  readonly #third = new Int32Array(LOW_BYTE + 1);
  readonly #beginnings = new Uint8Array(LOW_BYTE + 1);
  #text = '';
  /** The low bytes of the text, followed by two spaces, so that every position has two bytes after it. */
  #bytes = Buffer.alloc(0);

  constructor(terms: readonly string[]) {
    this.#prefixes = [...new Set(terms.map(prefixOf))];
    for (const [index, prefix] of this.#prefixes.entries()) this.#addPrefix(prefix, 1 << (index % 32));
  }

  #addPrefix(prefix: string, bit: number): void {
    const [first, second] = [prefix.charCodeAt(0), prefix.charCodeAt(1)];
    addUnit(this.#first, first, bit);
    const beginning = isLetter(first) ? AFTER_NON_LETTER : ANYWHERE;
    const known = this.#beginnings[first & LOW_BYTE] as number;
    this.#beginnings[first & LOW_BYTE] = Math.max(known, beginning);
    // Within a word, only a capital begins a part.
    if (isLetter(first)) this.#beginnings[first - CASE_DISTANCE] = ANYWHERE;
    for (const [table, at] of [
      [this.#second, 1],
      [this.#third, 2],
    ] as const) {
      if (prefix.length <= at) {
        for (let byte = 0; byte <= LOW_BYTE; byte++) table[byte] = (table[byte] as number) | bit;
        continue;
      }
      addUnit(table, prefix.charCodeAt(at), bit);
      for (const joiner of JOINERS) addUnit(table, joiner, bit);
      // The second letter is third after a joiner.
      addUnit(table, second, bit);
    }
  }

  /** Sets the text to search. */
  start(text: string): void {
    const { length } = text;
    this.#text = text;
    if (this.#bytes.length < length + 2) this.#bytes = Buffer.allocUnsafe(2 * length + 2);
    this.#bytes.write(text, 0, length, 'latin1');
    this.#bytes.fill(' ', length, length + 2);
  }

  /** Returns the position of the next candidate; -1 if there is none. */
  next(from: number): number {
    const [first, second, third] = [this.#first, this.#second, this.#third];
    const beginnings = this.#beginnings;
    const bytes = this.#bytes;
    const text = this.#text;
    const { length } = text;
    for (let at = from; at < length; at++) {
      const byte = bytes[at] as number;
      const prefixes =
        (first[byte] as number) &
        (second[bytes[at + 1] as number] as number) &
        (third[bytes[at + 2] as number] as number);
      if (prefixes === 0) continue;
      const isInWord = at > 0 && isLetter(lowerCase(text.charCodeAt(at - 1)));
      if (beginnings[byte] === AFTER_NON_LETTER && isInWord) continue;
      for (const prefix of this.#prefixes) if (beginsWith(text, at, prefix)) return at;
    }
    return -1;
  }
}

/** Adds a prefix to the entry of a code unit, and of its capital. */
function addUnit(table: Int32Array, unit: number, bit: number): void {
  for (const one of isLetter(unit) ? [unit, unit - CASE_DISTANCE] : [unit & LOW_BYTE])
    table[one] = (table[one] as number) | bit;
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
