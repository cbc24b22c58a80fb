import { conceptsOf, isConcept } from './concepts.ts';
import { stemOf } from './stems.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Keywords, each with its weight, a whole number from 1. */
export type Keywords = ReadonlyMap<string, number>;

/** Longest keyword in UTF-16 units: longer ones are tokens, hashes and addresses. */
const MAX_LENGTH = 40;

/** How much more than another word a concept says of what a text is about. */
const CONCEPT_WEIGHT = 1.5;

/** The length of the keywords of one text as a vector. */
const VECTOR_LENGTH = 100;

/** Keywords of one text; the rest weigh least. */
const MAX_KEYWORDS = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const MARKS = /\p{M}/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const NUMBER = /^\p{N}+$/u;

/** The keywords of a text in their order, as often as they occur. */
export function* extractKeywords(text: string): Generator<string> {
  const folded = text.normalize('NFKD').toLowerCase();
  for (const [match] of folded.matchAll(WORD)) {
    const word = match.replace(MARKS, '');
    if (UNSPACED.test(word)) yield* bigrams(word);
    else if (isKeyword(word)) yield* normalizeWord(word);
  }
}

const isKeyword = (word: string): boolean =>
  word.length > 1 && word.length <= MAX_LENGTH && !STOP_WORDS.has(word) && !NUMBER.test(word);

/** What stands for all forms of a word: its concepts, or its stem. */
function normalizeWord(word: string): string[] {
  const concepts = conceptsOf(word);
  return concepts.length > 0 ? concepts : [stemOf(word)];
}

/** Pairs of neighbouring characters stand for words. */
function* bigrams(word: string): Generator<string> {
  let last = '';
  for (const character of word) {
    if (last !== '') yield last + character;
    last = character;
  }
}

/**
 * The weights of the keywords of some texts: that of a keyword grows slower than it occurs, and its text counts as often
 * as `times` says. As a vector, all of them have about the same length, so that long texts count no more than short ones.
 */
export function computeKeywordWeights(texts: readonly { text: string; weight: number }[]): Keywords {
  const counts = new Map<string, number>();
  for (const { text, weight } of texts)
    for (const keyword of extractKeywords(text)) counts.set(keyword, (counts.get(keyword) ?? 0) + weight);
  const weighted = [...counts].map(([keyword, count]) => ({
    keyword,
    weight: (1 + Math.log(count)) * (isConcept(keyword) ? CONCEPT_WEIGHT : 1),
  }));
  // In an order of their own, so that equal counts are cut alike.
  weighted.sort((a, b) => b.weight - a.weight || (a.keyword < b.keyword ? -1 : 1));
  const kept = weighted.slice(0, MAX_KEYWORDS);
  const length = Math.hypot(...kept.map(({ weight }) => weight));
  return new Map(
    kept.map(({ keyword, weight }) => [keyword, Math.max(1, Math.round((VECTOR_LENGTH * weight) / length))]),
  );
}
