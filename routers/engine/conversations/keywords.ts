import { conceptsOf, isConcept } from './concepts.ts';
import { stemOf } from './stems.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Keywords with their weights, which are integers from 1. */
export type Keywords = ReadonlyMap<string, number>;

/** Maximum length of a keyword in UTF-16 code units: longer words are tokens, hashes and URLs. */
const MAX_LENGTH = 40;

/** The weight of a concept relative to other words. */
const CONCEPT_WEIGHT = 1.5;

/** The length that keyword vectors are normalized to. */
const VECTOR_LENGTH = 100;

/** Maximum number of keywords; those with the lowest weights are dropped. */
const MAX_KEYWORDS = 40;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const MARKS = /\p{M}/gu;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const NUMBER = /^\p{N}+$/u;

/** Extracts the keywords of a text, in order, with duplicates. */
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

/** Maps all forms of a word to the same keywords: its concepts, or its stem. */
function normalizeWord(word: string): string[] {
  const concepts = conceptsOf(word);
  return concepts.length > 0 ? concepts : [stemOf(word)];
}

/** Pairs of adjacent characters, in place of words. */
function* bigrams(word: string): Generator<string> {
  let last = '';
  for (const character of word) {
    if (last !== '') yield last + character;
    last = character;
  }
}

/**
 * Computes the keywords of texts with their weights, which grow logarithmically with the number of occurrences, multiplied
 * by the `weight` of their text. The vectors are normalized, so that long texts count no more than short ones.
 */
export function computeKeywordWeights(texts: readonly { text: string; weight: number }[]): Keywords {
  const counts = new Map<string, number>();
  for (const { text, weight } of texts)
    for (const keyword of extractKeywords(text)) counts.set(keyword, (counts.get(keyword) ?? 0) + weight);
  const weighted = [...counts].map(([keyword, count]) => ({
    keyword,
    weight: (1 + Math.log(count)) * (isConcept(keyword) ? CONCEPT_WEIGHT : 1),
  }));
  // A total order, so that ties are always cut in the same way.
  weighted.sort((a, b) => b.weight - a.weight || (a.keyword < b.keyword ? -1 : 1));
  const kept = weighted.slice(0, MAX_KEYWORDS);
  const length = Math.hypot(...kept.map(({ weight }) => weight));
  return new Map(
    kept.map(({ keyword, weight }) => [keyword, Math.max(1, Math.round((VECTOR_LENGTH * weight) / length))]),
  );
}
