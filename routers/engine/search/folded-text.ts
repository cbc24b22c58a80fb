/** Folds texts without moving their letters, to find words where they are. */

import { isUnspaced } from './analyzer.ts';
import { fold } from './fold.ts';

/** Between the codes of a letter and its capital. */
const CASE_DISTANCE = 32;

/** Converts a UTF-16 code unit of ASCII to lower case. */
export const lowerCase = (unit: number): number =>
  unit >= 0x41 && unit <= 0x5a ? unit + CASE_DISTANCE : unit;
const isAsciiLetter = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;

/** What the entry of a code unit in {@link FOLDS} holds beside the folded unit, which takes 16 bits. */
const IS_KNOWN = 1 << 16;
const IS_LETTER = 1 << 17;
const IS_CAPITAL = 1 << 18;
/** Folds to several units, to none, or only together with the next one. */
const IS_UNSURE = 1 << 19;

/** How each UTF-16 code unit folds; entries are added as they are needed. */
const FOLDS = new Uint32Array(2 ** 16);

/** The scripts whose words have parts that begin with capitals. */
const CASED_LETTER = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u;
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}]$/u;
/** The accents that fold away with the letter before them. */
const ACCENT = /^[[\p{Script=Inherited}\p{Script=Cyrillic}]&&\p{M}]$/v;

const entryOf = (unit: number): number => FOLDS[unit] || addEntry(unit);

function addEntry(unit: number): number {
  const character = String.fromCharCode(unit);
  const entry =
    IS_KNOWN |
    (foldedUnit(unit, character) ?? IS_UNSURE) |
    (CASED_LETTER.test(character) ? IS_LETTER : 0) |
    (character !== character.toLowerCase() ? IS_CAPITAL : 0);
  FOLDS[unit] = entry;
  return entry;
}

/** What a code unit folds to; `undefined` if that is not a single unit, or depends on the next one. */
function foldedUnit(unit: number, character: string): number | undefined {
  const folded = isHighSurrogate(unit) ? '' : foldedCharacter(character);
  return folded.length === 1 ? folded.charCodeAt(0) : undefined;
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

/** What a character folds to within a word; nothing if it is an accent. */
function foldedCharacter(character: string): string {
  if (isUnspaced(character)) return character;
  if (ACCENT.test(character)) return '';
  return WORD_CHARACTER.test(character) ? fold(character) : character;
}

/** The text that is being folded. The memory is reused, so that folding allocates nothing but the result. */
let units = new Uint16Array(0);

/** A text of which each code unit is folded by itself. */
export class FoldedText {
  #text = '';
  #isAscii = true;
  /** Where code units are that do not fold to single ones, in order. */
  #unfolded: number[] = [];
  /** The index among these of the one that was found last. */
  #lastUnfolded = 0;
  /** As long as the text. Letters of ASCII keep their case if there is nothing else. */
  folded = '';

  set(text: string): void {
    this.#text = text;
    this.#unfolded = [];
    this.#lastUnfolded = 0;
    this.#isAscii = Buffer.byteLength(text) === text.length;
    this.folded = this.#isAscii ? text : this.#fold(text);
  }

  /** The first position from which on a word must be folded as a whole; -1 if there is none. Positions must not decrease. */
  nextUnfolded(from: number): number {
    const unfolded = this.#unfolded;
    let index = this.#lastUnfolded;
    while (index < unfolded.length && (unfolded[index] as number) < from) index++;
    this.#lastUnfolded = index;
    return unfolded[index] ?? -1;
  }

  /** Whether a part of an identifier goes on at a position: within a word, only a capital begins one. */
  isWithinPart(at: number): boolean {
    if (at === 0) return false;
    const [before, unit] = [this.#text.charCodeAt(at - 1), this.#text.charCodeAt(at)];
    if (this.#isAscii) return isAsciiLetter(unit) && isAsciiLetter(lowerCase(before));
    return (entryOf(unit) & (IS_LETTER | IS_CAPITAL)) === IS_LETTER && (entryOf(before) & IS_LETTER) !== 0;
  }

  #fold(text: string): string {
    const { length } = text;
    if (units.length < length) units = new Uint16Array(2 * length);
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      const entry = entryOf(unit);
      units[at] = entry;
      if ((entry & IS_UNSURE) === 0) continue;
      const [character = ''] = text.slice(at, at + 2);
      // Two units that make up one character, such as an emoji, rarely change.
      if (foldedCharacter(character) === character) units[at] = unit;
      else this.#unfolded.push(at);
    }
    return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
  }
}
