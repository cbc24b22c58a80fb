/** Scores documents by the terms of a query. */

import type { SearchArrays } from './arrays.ts';
import { impactOf, MAX_IMPACT } from './impacts.ts';
import { addPostings, eachPosting, raisePostings } from './postings.ts';

/** One way in which a word of a query may occur. */
export interface Alternative {
  term: string;
  /** 1 for the word itself. */
  weight: number;
  /** How many documents have the term. */
  frequency: number;
  blocks: readonly Uint8Array[];
}

/** A word of a query, by the ways in which it may occur; there is at least one. */
export interface SoughtWord {
  alternatives: readonly Alternative[];
  isRequired: boolean;
}

export interface Scores {
  /** By the number of the document; 0 for those that are no answer. */
  of: Float32Array;
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
  { alternatives }: SoughtWord,
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

/** What the share of the words that a document has multiplies its score by: mildly, since the words that it lacks add nothing anyway. */
const shareFactor = (share: number): number => Math.sqrt(Math.sqrt(share));

/** Postings between two pauses. */
const STRIDE = 100_000;

/** Whether a word has one alternative and is optional: then what it counts is added to the scores directly. */
const isSingle = ({ alternatives, isRequired }: SoughtWord): boolean =>
  alternatives.length === 1 && !isRequired;

/**
 * Scores all documents: those that have all words come first, by what these count; then the others, by this and by the share
 * of the words that they have, rare ones counting more. Of a sentence, this holds for all: a page that merely has all of its words
 * somewhere seldom answers it. `pause` is called now and then, so that a long query holds nobody up.
 * @param counted documents whose words were counted by an engine: they are in no block
 */
export async function scoreDocuments(
  words: readonly SoughtWord[],
  excluded: readonly Uint8Array[],
  { arrays, size, documents, isSentence }: Scoring,
  pause: () => Promise<void>,
  counted: readonly CountedDocument[] = [],
): Promise<Scores> {
  const scores = arrays.zeros(size);
  const shares = arrays.zeros(size);
  const isPlain = words.every(isSingle);
  const best = arrays.zeros(isPlain ? 0 : size);
  const raised = arrays.integers(isPlain ? 0 : size);
  const required = words.filter(({ isRequired }) => isRequired).length;
  const requiredFound = arrays.zeros(required > 0 ? size : 0);
  const weights = new Map<string, number>();
  const importances: number[] = [];
  let total = 0;
  let done = 0;
  for (const word of words) {
    const { alternatives, isRequired } = word;
    let importance = 0;
    for (const { term, weight, frequency } of alternatives) {
      const worth = weight * rarity(frequency, documents);
      importance = Math.max(importance, worth);
      weights.set(term, Math.max(weights.get(term) ?? 0, worth));
    }
    total += importance;
    importances.push(importance);
    let found = 0;
    for (const { weight, frequency, blocks } of alternatives) {
      const worths = worthsOf(weight * rarity(frequency, documents));
      for (const block of blocks) {
        if (isSingle(word)) addPostings(block, worths, scores, shares, importance);
        else found = raisePostings(block, worths, best, raised, found);
        done += block.length >> 1;
        if (done < STRIDE) continue;
        await pause();
        done = 0;
      }
    }
    for (let index = 0; index < found; index++) {
      const document = raised[index] as number;
      scores[document] = (scores[document] as number) + (best[document] as number);
      shares[document] = (shares[document] as number) + importance;
      if (isRequired) requiredFound[document] = (requiredFound[document] as number) + 1;
      best[document] = 0;
    }
    done += found;
  }
  for (const { document, score, words: had } of counted) {
    if (document >= size) continue;
    scores[document] = score;
    shares[document] = had.reduce((sum, index) => sum + (importances[index] ?? 0), 0);
    if (required > 0) requiredFound[document] = had.filter((index) => words[index]?.isRequired).length;
  }
  for (const block of excluded) {
    eachPosting(block, (document) => {
      if (document < size) scores[document] = 0;
    });
    done += block.length >> 1;
    if (done < STRIDE) continue;
    await pause();
    done = 0;
  }
  const most = total * MAX_IMPACT;
  const all = total * 0.9999;
  for (let document = 0; document < size; document++) {
    const score = scores[document] as number;
    if (score === 0) continue;
    const share = shares[document] as number;
    // guard: search-all-words-first
    if (required > 0 && (requiredFound[document] as number) < required) scores[document] = 0;
    else scores[document] = !isSentence && share >= all ? most + score : score * shareFactor(share / total);
  }
  return { of: scores, most: most * 2, weights };
}

/** What postings of a term count, by their impact. */
const worthsOf = (worth: number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, impact) => worth * impactOf(impact));
