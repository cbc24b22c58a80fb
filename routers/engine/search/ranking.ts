/** Scores documents for a query. */

import type { SearchArrays } from './arrays.ts';
import { impactOf, MAX_IMPACT } from './impacts.ts';
import { eachDocument, maxDocuments, type PostingList, scanSteps } from './posting-lists.ts';
import { Totals } from './totals.ts';

/** A term that matches a word of a query. */
export interface Alternative {
  term: string;
  /** 1 for the term of the word itself, less for completions, corrections and variants. */
  weight: number;
  /** The number of documents with the term. */
  frequency: number;
  lists: readonly PostingList[];
}

/** A word of a query with all terms that match it. */
export interface ExpandedWord {
  alternatives: readonly Alternative[];
  isRequired: boolean;
}

export interface Scores {
  /** The score of each document by its number, in units of 1 / {@link PRECISION}; 0 if it does not match. */
  byDocument: Int32Array;
  /** The maximum possible score. */
  max: number;
  /** The weight of each term, for scoring sections. */
  weights: ReadonlyMap<string, number>;
}

/** The inverse document frequency of a term. */
const inverseDocumentFrequency = (frequency: number, documents: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5));

/** A document that an external search engine matched. */
export interface EngineMatch {
  document: number;
  /** The sum of the worths of its words. */
  score: number;
  /** The indexes of the query's words that it contains. */
  words: readonly number[];
}

/** The worth of each term that matches a word: what it adds to a document's score per unit of impact. */
export const termWorths = (
  { alternatives }: ExpandedWord,
  documents: number,
): { term: string; worth: number }[] =>
  alternatives.map(({ term, weight, frequency }) => ({
    term,
    worth: weight * inverseDocumentFrequency(frequency, documents) * impactOf(1),
  }));

/** The parameters of scoring. */
interface Scoring {
  /** Allocates the scores and intermediate results. */
  arrays: SearchArrays;
  /** One more than the highest document number. */
  size: number;
  /** The number of documents. */
  documents: number;
  isSentence: boolean;
}

/** Scores are integers in units of 1 / this, so that the order of documents is always the same. */
export const PRECISION = 10_000;

/** In how many steps the share of the words that a document contains is measured. */
const SHARES = 4096;

/** The factor of a score for each share: mild, since missing words add nothing to the score anyway. */
const SHARE_FACTORS = Float32Array.from({ length: SHARES + 1 }, (_, step) =>
  Math.sqrt(Math.sqrt(step / SHARES)),
);

/** How many steps are made between two pauses. */
const STRIDE = 100_000;

/**
 * Scores all documents. Those with all words come first, ordered by the sum of the words' worths; then the others, whose sum is
 * reduced by the share of the words that they contain, with rare words counting more. If the query is a sentence, all documents
 * are scored like the latter: a page that merely contains all of its words somewhere rarely answers it. `pause` is called now
 * and then, so that a long query does not delay others.
 * @param engineMatches documents that an external search engine matched; they are in no posting list
 */
export async function scoreDocuments(
  words: readonly ExpandedWord[],
  excluded: readonly PostingList[],
  { arrays, size, documents, isSentence }: Scoring,
  pause: () => Promise<void>,
  engineMatches: readonly EngineMatch[] = [],
): Promise<Scores> {
  const required = words.filter(({ isRequired }) => isRequired).length;
  const lists = words.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.lists));
  const totals = new Totals(arrays, {
    size,
    hasRequired: required > 0,
    maxMatches: engineMatches.length > 0 ? undefined : maxDocuments(lists),
  });
  const weights = new Map<string, number>();
  const importances: number[] = [];
  let steps = 0;
  const countSteps = async (further: number) => {
    steps += further;
    if (steps < STRIDE) return;
    await pause();
    steps = 0;
  };
  for (const { alternatives, isRequired } of words) {
    const weighted = alternatives.map((one) => ({
      ...one,
      worth: one.weight * inverseDocumentFrequency(one.frequency, documents),
    }));
    for (const { term, worth } of weighted) weights.set(term, Math.max(weights.get(term) ?? 0, worth));
    const importance = weighted.reduce((most, { worth }) => Math.max(most, worth), 0);
    importances.push(importance);
    const lists = weighted.flatMap(({ lists, worth }) => {
      const worths = lists.length > 0 ? worthsByImpact(worth) : undefined;
      return worths ? lists.map((list) => ({ list, worths })) : [];
    });
    totals.add(lists, { importance, isRequired });
    await countSteps(lists.reduce((sum, { list }) => sum + scanSteps(list), 0));
  }
  totals.finish();
  const { scores, shares, requiredCounts } = totals;
  for (const { document, score, words: contained } of engineMatches) {
    if (document >= size) continue;
    scores[document] = score;
    shares[document] = contained.reduce((sum, index) => sum + (importances[index] ?? 0), 0);
    if (required > 0) requiredCounts[document] = contained.filter((index) => words[index]?.isRequired).length;
  }
  for (const list of excluded) {
    eachDocument(list, (document) => {
      if (document >= size) return;
      scores[document] = 0;
      shares[document] = 0;
    });
    await countSteps(scanSteps(list));
  }
  const total = importances.reduce((sum, importance) => sum + importance, 0);
  // In the memory of the totals, which are not needed afterwards: each score takes the place of its total.
  const byDocument = new Int32Array(scores.buffer, scores.byteOffset, size);
  combine(totals, { total, required, isSentence }, byDocument);
  return { byDocument, max: 2 * total * MAX_IMPACT, weights };
}

/** Computes the scores from the totals. A separate function, so that the compiler optimizes its loop. */
function combine(
  { scores, shares, requiredCounts, documents }: Totals,
  { total, required, isSentence }: { total: number; required: number; isSentence: boolean },
  combined: Int32Array,
): void {
  // More than the score of any document that lacks a word.
  const allWordsBonus = total * MAX_IMPACT;
  const allWords = isSentence ? Number.POSITIVE_INFINITY : total * 0.9999;
  const steps = SHARES / total;
  const count = documents ? documents.length : combined.length;
  for (let index = 0; index < count; index++) {
    const document = documents ? (documents[index] as number) : index;
    const score = scores[document] as number;
    const share = shares[document] as number;
    const factor = SHARE_FACTORS[(share * steps + 0.5) | 0] as number;
    // guard: search-all-words-first
    const value = share >= allWords ? allWordsBonus + score : score * factor;
    combined[document] = (value * PRECISION + 0.5) | 0;
  }
  if (required === 0) return;
  for (let document = 0; document < combined.length; document++)
    if ((requiredCounts[document] as number) < required) combined[document] = 0;
}

/** What a posting of a term adds to the score, by its impact. */
function worthsByImpact(worth: number): Float32Array {
  const worths = new Float32Array(256);
  for (let impact = 1; impact < 256; impact++) worths[impact] = worth * impactOf(impact);
  return worths;
}
