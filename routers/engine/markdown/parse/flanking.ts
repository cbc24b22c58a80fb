/**
 * Which runs of delimiters can open and close emphasis. Those of CommonMark, except that `*` and `~` may also stand between a
 * Chinese, Japanese or Korean character and punctuation: these languages are written without spaces between words, so that
 * `**注意：**请` would not be emphasis.
 */

import type { MarkdownIt } from 'markdown-it';

type ScanDelims = InstanceType<MarkdownIt['inline']['State']>['scanDelims'];
type Utils = Pick<MarkdownIt['utils'], 'isPunctCharCode' | 'isWhiteSpace'>;

/** How emphasis rules see a character; the beginning and the end of the text count as blanks. */
export type CharClass = 'space' | 'punctuation' | 'cjk' | 'other';

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
/** Letters of languages without spaces, their punctuation, and full-width forms. */
const CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3001-\u303f\u30fb\u30fc\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6]/u;

/** The class of a character next to a run of delimiters. */
export function charClass(
  char: string | undefined,
  delimiter: string,
  { isPunctCharCode, isWhiteSpace }: Utils,
): CharClass {
  const code = char?.codePointAt(0);
  if (char === undefined || code === undefined || isWhiteSpace(code)) return 'space';
  if (delimiter !== '_' && code >= 0x1100 && CJK.test(char)) return 'cjk';
  return ASCII_PUNCTUATION.test(char) || isPunctCharCode(code) ? 'punctuation' : 'other';
}

/** Whether emphasis can open between two characters; for its end, they are swapped. */
export const canOpenBetween = (outside: CharClass, inside: CharClass): boolean =>
  inside !== 'space' && (inside !== 'punctuation' || outside !== 'other');

export function lastChar(text: string): string | undefined {
  const last = text.at(-1);
  return last !== undefined && last >= '\udc00' && last <= '\udfff' ? text.slice(-2) : last;
}

export function firstChar(text: string): string | undefined {
  const code = text.codePointAt(0);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

/** Makes markdown-it find delimiters by these rules. */
export function installFlanking(md: MarkdownIt): void {
  md.inline.State = class extends md.inline.State {
    override scanDelims(...[start, canSplitWord]: Parameters<ScanDelims>): ReturnType<ScanDelims> {
      if (!canSplitWord) return super.scanDelims(start, canSplitWord);
      const { src, posMax } = this;
      const delimiter = src.charAt(start);
      let end = start;
      while (end < posMax && src.charAt(end) === delimiter) end += 1;
      const before = charClass(lastChar(src.slice(Math.max(0, start - 2), start)), delimiter, md.utils);
      const after = charClass(
        end < posMax ? firstChar(src.slice(end, end + 2)) : undefined,
        delimiter,
        md.utils,
      );
      return {
        can_open: canOpenBetween(before, after),
        can_close: canOpenBetween(after, before),
        length: end - start,
      };
    }
  };
}
