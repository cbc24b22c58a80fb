/** Scores documents for a query. */

import type { SearchArrays } from './arrays.ts';
import { impactOf, MAX_IMPACT } from './impacts.ts';
import {
  type RankedWord,
  requiredIn,
  STEP_BITS,
  SumPacker,
  shareIn,
  WHOLE,
  WORTH_UNITS,
  worthIn,
} from './packed-sums.ts';
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
  /**
   * The score of each document by its number, in units of 1 / {@link PRECISION}; 0 if it does not match, or was not to be scored.
   */
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
  /** The only documents to be scored, in any order, if they are few. */
  searched?: Int32Array | undefined;
}

/** Scores are integers in units of 1 / this, so that the order of documents is always the same. */
export const PRECISION = 10_000;

/** What one unit of worth adds to a score. */
const SCORE_OF_WORTH = PRECISION / WORTH_UNITS;

/** The factor of a score for each step of the share: mild, since missing words add nothing to the score anyway. */
const SHARE_FACTORS = Float64Array.from({ length: (2 * WHOLE) >> STEP_BITS }, (_, step) =>
  Math.min(1, Math.sqrt(Math.sqrt((step << STEP_BITS) / WHOLE))),
);

/** How many steps are made between two pauses. */
const STRIDE = 100_000;

/**
 * Scores documents. Those with all words come first, ordered by the sum of the words' worths; then the others, whose sum is
 * reduced by the share of the words that they contain, with rare words counting more. If the query is a sentence, all documents
 * are scored like the latter: a page that merely contains all of its words somewhere rarely answers it. `pause` is called now
 * and then, so that a long query does not delay others.
 * @param engineMatches documents that an external search engine matched; they are in no posting list
 */
export async function scoreDocuments(
  words: readonly ExpandedWord[],
  excluded: readonly PostingList[],
  { arrays, size, documents, isSentence, searched }: Scoring,
  pause: () => Promise<void>,
  engineMatches: readonly EngineMatch[] = [],
): Promise<Scores> {
  const weighted = words.map(({ alternatives, isRequired }) => {
    const terms = alternatives.map((one) => ({
      ...one,
      worth: one.weight * inverseDocumentFrequency(one.frequency, documents),
    }));
    const importance = terms.reduce((most, { worth }) => Math.max(most, worth), 0);
    return { terms, importance, isRequired };
  });
  const total = weighted.reduce((sum, { importance }) => sum + importance, 0);
  const packer = new SumPacker(total);
  const allLists = words.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.lists));
  const totals = new Totals(arrays, {
    size,
    maxMatches: searched || engineMatches.length > 0 ? undefined : maxDocuments(allLists),
  });
  const weights = new Map<string, number>();
  let steps = 0;
  const countSteps = async (further: number) => {
    steps += further;
    if (steps < STRIDE) return;
    await pause();
    steps = 0;
  };
  for (const word of weighted) {
    for (const { term, worth } of word.terms) weights.set(term, Math.max(weights.get(term) ?? 0, worth));
    const lists = word.terms.flatMap(({ lists, worth }) => {
      const values = lists.length > 0 ? packer.packByImpact(word, worth) : undefined;
      return values ? lists.map((list) => ({ list, values })) : [];
    });
    await countSteps(totals.add(lists));
  }
  for (const { document, score, words: contained } of engineMatches) {
    if (document >= size) continue;
    const values = contained.flatMap((index) => weighted[index] ?? []).map((word) => packer.pack(word, 0));
    totals.sums[document] = packer.pack(NO_WORD, score) + values.reduce((sum, value) => sum + value, 0);
  }
  const combination = {
    whole: weighted.reduce((sum, word) => sum + packer.pack(word, 0), 0),
    allWordsBonus: isSentence ? 0 : total * MAX_IMPACT * PRECISION,
  };
  const some = searched ?? totals.documents;
  const sums = some ? totals.sumsOf(some) : await totals.allSums(countSteps);
  const byDocument = scatter(combine(sums, combination, arrays), some, size, arrays);
  for (const list of excluded) {
    eachDocument(list, (document) => {
      if (document < size) byDocument[document] = 0;
    });
    await countSteps(scanSteps(list));
  }
  return { byDocument, max: 2 * total * MAX_IMPACT, weights };
}

/** Adds nothing but a worth. */
const NO_WORD: RankedWord = { importance: 0, isRequired: false };

/** How sums become scores. */
interface Combination {
  /** The sum of all words without their worths. */
  whole: number;
  /** What is added to the score of a document with all words: more than the score of any that lacks one; 0 in a sentence. */
  allWordsBonus: number;
}

/** Computes the scores for some sums, without branches, which take three times as long. */
function combine(
  sums: Float64Array,
  { whole, allWordsBonus }: Combination,
  arrays: SearchArrays,
): Int32Array {
  const scores = arrays.integers(sums.length);
  const bonuses = arrays.zeros(SHARE_FACTORS.length);
  // guard: search-all-words-first
  bonuses.fill(allWordsBonus, shareIn(whole) >> STEP_BITS);
  for (let index = 0; index < sums.length; index++) {
    const sum = sums[index] as number;
    const step = shareIn(sum) >> STEP_BITS;
    const factor = SHARE_FACTORS[step] as number;
    scores[index] = (worthIn(sum) * factor * SCORE_OF_WORTH + (bonuses[step] as number) + 0.5) | 0;
  }
  const required = requiredIn(whole);
  if (required === 0) return scores;
  for (let index = 0; index < sums.length; index++)
    if (requiredIn(sums[index] as number) < required) scores[index] = 0;
  return scores;
}

/** Returns scores by document number, if they are not yet: if they are only those of some documents. */
function scatter(
  scores: Int32Array,
  documents: Int32Array | undefined,
  size: number,
  arrays: SearchArrays,
): Int32Array {
  if (!documents) return scores;
  const byDocument = arrays.integers(size).fill(0);
  for (let index = 0; index < documents.length; index++)
    byDocument[documents[index] as number] = scores[index] as number;
  return byDocument;
}
