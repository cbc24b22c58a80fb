import { STOP_WORDS } from './stop-words.ts';

/** Keywords, each with its weight, a whole number from 1. */
export type Keywords = ReadonlyMap<string, number>;

/** Longest keyword in UTF-16 units: longer ones are tokens, hashes and addresses. */
const MAX_LENGTH = 40;

/** Keywords of one text; the rest weigh least. */
const MAX_KEYWORDS = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const MARKS = /\p{M}/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const NUMBER = /^\p{N}+$/u;

/** Endings of words that are taken off, longest first, as long as this many characters remain. */
const ENDINGS = [
  ['ations', 4],
  ['ation', 4],
  ['ingly', 4],
  ['ments', 4],
  ['ement', 4],
  ['ment', 4],
  ['ions', 4],
  ['ings', 3],
  ['ness', 4],
  ['ies', 3],
  ['ing', 3],
  ['ion', 4],
  ['ers', 4],
  ['ed', 3],
  ['er', 4],
  ['es', 3],
  ['en', 4],
  ['ly', 4],
  ['e', 3],
  ['s', 3],
  ['y', 3],
] as const;

/** The keywords of a text in their order, as often as they occur. */
export function* keywordsOf(text: string): Generator<string> {
  const folded = text.normalize('NFKD').toLowerCase();
  for (const [match] of folded.matchAll(WORD)) {
    const word = match.replace(MARKS, '');
    if (UNSPACED.test(word)) yield* pairsOf(word);
    else if (isKeyword(word)) yield stemOf(word);
  }
}

const isKeyword = (word: string): boolean =>
  word.length > 1 && word.length <= MAX_LENGTH && !STOP_WORDS.has(word) && !NUMBER.test(word);

/** Pairs of neighbouring characters stand for words. */
function* pairsOf(word: string): Generator<string> {
  let last = '';
  for (const character of word) {
    if (last !== '') yield last + character;
    last = character;
  }
}

/** A word without its ending, so that its forms are one keyword. */
export function stemOf(word: string): string {
  for (const [ending, least] of ENDINGS) {
    if (word.length - ending.length < least || !word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    // "running" and "run".
    return stem.length > least && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem;
  }
  return word;
}

/**
 * The weights of the keywords of some texts: that of a keyword grows slower than it occurs, and its text counts as often
 * as `times` says.
 */
export function weighKeywords(texts: readonly { text: string; times: number }[]): Keywords {
  const counts = new Map<string, number>();
  for (const { text, times } of texts)
    for (const keyword of keywordsOf(text)) counts.set(keyword, (counts.get(keyword) ?? 0) + times);
  const weighed = [...counts].map(
    ([keyword, count]) => [keyword, Math.round(10 * (1 + Math.log(count)))] as const,
  );
  // In an order of their own, so that equal counts are cut alike.
  weighed.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(weighed.slice(0, MAX_KEYWORDS));
}
