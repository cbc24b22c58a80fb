/** Prepares text for the typesetter: well-formed, without control characters, and with break opportunities. */

import { safeHref } from '../document/safe-href.ts';

/** Control characters, for which fonts have no glyphs, and noncharacters; but not line endings and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufeff\ufff9-\uffff]/g;

/** Maximum length of a word without a break opportunity, at the width of a page. */
const MAX_WORD = 30;

/** Maximum length of the URL of a link. */
const MAX_HREF = 2000;

const ZERO_WIDTH_SPACE = '\u200b';

/** Removes characters on which the typesetter fails or which it shows as a box. */
export const cleanText = (text: string): string =>
  // guard: pdf-lone-surrogates
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '').replaceAll('\ufffd', '');

/** Cleans a text, and converts it to a single line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim();

/** Adds break opportunities to words that are too long, after punctuation or after `maxWord` characters. */
export const breakable = (text: string, maxWord = MAX_WORD): string =>
  text.length <= maxWord
    ? text
    : text
        .split(/([ \n\t\u200b]+)/)
        .map((word) => (word.length <= maxWord ? word : breakWord(word, maxWord)))
        .join('');

function breakWord(word: string, maxWord: number): string {
  let result = '';
  let run = 0;
  for (const character of word) {
    run = isWide(character) ? 0 : run + 1;
    result += character;
    const isPlace = run > maxWord / 2 && '/.,;:_-?&=+)]}\\'.includes(character);
    if (isPlace || (run >= maxWord && !isJoined(character))) {
      result += ZERO_WIDTH_SPACE;
      run = 0;
    }
  }
  return result;
}

/** Whether a character belongs to a script in which lines can break between any two characters anyway. */
const isWide = (character: string): boolean =>
  /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/.test(character);

/** Whether a character is a combining mark, or a letter that may be joined to the next. */
const isJoined = (character: string): boolean => /[\u0590-\u0dff\u0e00-\u0eff]|\u200d|\p{M}/u.test(character);

const STRONG = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]|\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** The direction of a text by its first letter; undefined if it has no letters. */
function directionOf(text: string): 'rtl' | 'ltr' | undefined {
  const letter = STRONG.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** Returns a URL for a link in a file: absolute, and safe like on a page; undefined if it is not. */
export function printedHref(href: string): string | undefined {
  if (href.length > MAX_HREF) return undefined;
  const address = safeHref(cleanLine(href));
  return address === undefined ? undefined : URL.parse(address)?.href;
}

/** Returns the direction of a text if it differs from that of the book. */
export function directionOverride(
  text: string,
  { direction }: { direction: 'rtl' | 'ltr' },
): { dir?: 'rtl' | 'ltr' } {
  const own = directionOf(text);
  return own === undefined || own === direction ? {} : { dir: own };
}
