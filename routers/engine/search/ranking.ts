/** Scores documents by the terms of a query. */

import type { SearchArrays } from './arrays.ts';
import { impactOf, MAX_IMPACT } from './impacts.ts';
import { eachDocument, type PostingList, stepsThrough } from './posting-lists.ts';
import { Totals } from './totals.ts';

/** One way in which a word of a query may occur. */
export interface Alternative {
  term: string;
  /** 1 for the word itself. */
  weight: number;
  /** How many documents have the term. */
  frequency: number;
  lists: readonly PostingList[];
}

/** A word of a query, by the ways in which it may occur; there is at least one. */
export interface ExpandedWord {
  alternatives: readonly Alternative[];
  isRequired: boolean;
}

export interface Scores {
  /** By the number of the document, in units of 1 / {@link PRECISION}; 0 for those that do not match. */
  of: Int32Array;
  /** The most that a score can be. */
  most: number;
  /** What each term counts, for scoring sections. */
  weights: ReadonlyMap<string, number>;
}

/** How rare a term is among some documents. */
const rarity = (frequency: number, documents: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5));

/** A document whose words were counted elsewhere. */
export interface CountedDocument {
  document: number;
  /** The sum of what its words count. */
  score: number;
  /** The indexes of the words that it has. */
  words: readonly number[];
}

/** What a word counts in a document, for each unit of its impact there, by the term in which it occurs. */
export const worthsOfTerms = (
  { alternatives }: ExpandedWord,
  documents: number,
): { term: string; worth: number }[] =>
  alternatives.map(({ term, weight, frequency }) => ({
    term,
    worth: weight * rarity(frequency, documents) * impactOf(1),
  }));

/** How many documents there are, and how a query is read. */
interface Scoring {
  /** Where the scores and what they are made from lie. */
  arrays: SearchArrays;
  /** One more than the highest number of a document. */
  size: number;
  documents: number;
  isSentence: boolean;
}

/** Scores are integers, so that the same documents are always in the same order: this many are a score of 1. */
export const PRECISION = 10_000;

/** Steps of the share of the words that a document has. */
const SHARES = 4096;

/** What such a share multiplies a score by: mildly, since the words that are missing add nothing anyway. */
const SHARE_FACTORS = Float32Array.from({ length: SHARES + 1 }, (_, step) =>
  Math.sqrt(Math.sqrt(step / SHARES)),
);

/** Steps between two pauses. */
const STRIDE = 100_000;

/**
 * Scores all documents: those that have all words come first, by what these count; then the others, by this and by the share
 * of the words that they have, rare ones counting more. Of a sentence, this holds for all: a page that merely has all of its words
 * somewhere seldom answers it. `pause` is called now and then, so that a long query holds nobody up.
 * @param counted documents whose words were counted by an engine: they are in no list
 */
export async function scoreDocuments(
  words: readonly ExpandedWord[],
  excluded: readonly PostingList[],
  { arrays, size, documents, isSentence }: Scoring,
  pause: () => Promise<void>,
  counted: readonly CountedDocument[] = [],
): Promise<Scores> {
  const required = words.filter(({ isRequired }) => isRequired).length;
  const totals = new Totals(arrays, { size, hasRequired: required > 0 });
  const weights = new Map<string, number>();
  const importances: number[] = [];
  let steps = 0;
  const rest = async (further: number) => {
    steps += further;
    if (steps < STRIDE) return;
    await pause();
    steps = 0;
  };
  for (const { alternatives, isRequired } of words) {
    const weighted = alternatives.map((one) => ({
      ...one,
      worth: one.weight * rarity(one.frequency, documents),
    }));
    for (const { term, worth } of weighted) weights.set(term, Math.max(weights.get(term) ?? 0, worth));
    const importance = Math.max(0, ...weighted.map(({ worth }) => worth));
    importances.push(importance);
    const lists = weighted.flatMap(({ lists, worth }) => {
      const worths = lists.length > 0 ? worthsOf(worth) : undefined;
      return worths ? lists.map((list) => ({ list, worths })) : [];
    });
    totals.add(lists, { importance, isRequired });
    await rest(lists.reduce((sum, { list }) => sum + stepsThrough(list), 0));
  }
  const { scores, shares, requiredFound } = totals;
  for (const { document, score, words: had } of counted) {
    if (document >= size) continue;
    scores[document] = score;
    shares[document] = had.reduce((sum, index) => sum + (importances[index] ?? 0), 0);
    if (required > 0) requiredFound[document] = had.filter((index) => words[index]?.isRequired).length;
  }
  for (const list of excluded) {
    eachDocument(list, (document) => {
      if (document >= size) return;
      scores[document] = 0;
      shares[document] = 0;
    });
    await rest(stepsThrough(list));
  }
  const total = importances.reduce((sum, importance) => sum + importance, 0);
  const of = arrays.integers(size);
  combine(totals, { total, required, isSentence }, of);
  return { of, most: 2 * total * MAX_IMPACT, weights };
}

/** Makes scores of what the words add up to. A function of its own, so that the compiler optimizes its loop. */
function combine(
  { scores, shares, requiredFound }: Totals,
  { total, required, isSentence }: { total: number; required: number; isSentence: boolean },
  combined: Int32Array,
): void {
  // More than any score by the share of the words.
  const wholeBonus = total * MAX_IMPACT;
  const whole = isSentence ? Number.POSITIVE_INFINITY : total * 0.9999;
  const steps = SHARES / total;
  for (let document = 0; document < combined.length; document++) {
    const score = scores[document] as number;
    const share = shares[document] as number;
    const factor = SHARE_FACTORS[(share * steps + 0.5) | 0] as number;
    // guard: search-all-words-first
    const value = share >= whole ? wholeBonus + score : score * factor;
    combined[document] = (value * PRECISION + 0.5) | 0;
  }
  if (required === 0) return;
  for (let document = 0; document < combined.length; document++)
    if ((requiredFound[document] as number) < required) combined[document] = 0;
}

/** What postings of a term count, by their impact. */
const worthsOf = (worth: number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, impact) => worth * impactOf(impact));
