/** Scores documents for a query. */

import type { SearchArrays } from './arrays.ts';
import { impactOf, MAX_IMPACT } from './impacts.ts';
import { eachDocument, maxDocuments, type PostingList, scanSteps } from './posting-lists.ts';
import { PRECISION, type RankedWord, Scores, SumPacker } from './scores.ts';
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
    maxMatches: engineMatches.length > 0 ? undefined : maxDocuments(allLists),
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
    const sum = packer.pack(NO_WORD, score) + values.reduce((sum, value) => sum + value, 0);
    totals.sums[document] = sum;
  }
  const combination = {
    whole: weighted.reduce((sum, word) => sum + packer.pack(word, 0), 0),
    allWordsBonus: isSentence ? 0 : total * MAX_IMPACT * PRECISION,
  };
  const sums = searched ? totals.sumsOf(searched) : await totals.allSums(countSteps);
  for (const list of excluded) {
    eachDocument(list, (document) => {
      if (document < size) sums[document] = 0;
    });
    await countSteps(scanSteps(list));
  }
  return new Scores(arrays, { sums, marks: totals.marks }, combination, {
    max: 2 * total * MAX_IMPACT,
    weights,
  });
}

/** Adds nothing but a worth. */
const NO_WORD: RankedWord = { importance: 0, isRequired: false };
