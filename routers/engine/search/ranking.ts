/** Scores documents by the terms of a query. */

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
  /** One more than the highest number of a document. */
  size: number;
  documents: number;
  isSentence: boolean;
}

/** How much the share of the words that a document has counts: the words that it lacks count for nothing in any case. */
const SHARE_POWER = 0.25;

/** Postings between two pauses. */
const STRIDE = 100_000;

/** Arrays that no search uses at present, and the most bytes of them: clearing one takes less than making one. */
const spare: Float32Array[] = [];
const SPARE_BYTES = 8 * 1024 * 1024;

function takeZeros(size: number): Float32Array {
  const at = spare.findIndex(({ length }) => length === size);
  const [array] = at < 0 ? [] : spare.splice(at, 1);
  return array?.fill(0) ?? new Float32Array(size);
}

function giveBack(array: Float32Array): void {
  if (array.length === 0 || array.byteLength > SPARE_BYTES) return;
  spare.push(array);
  // The first are those of an index that has grown since.
  let bytes = spare.reduce((sum, { byteLength }) => sum + byteLength, 0);
  while (bytes > SPARE_BYTES) bytes -= spare.shift()?.byteLength ?? bytes;
}

/**
 * Scores all documents: those that have all words come first, by what these count; then the others, by this and by the share
 * of the words that they have, rare ones counting more. Of a sentence, this holds for all: a page that merely has all of its words
 * somewhere seldom answers it. `pause` is called now and then, so that a long query holds nobody up.
 * @param counted documents whose words were counted by an engine: they are in no block
 */
export async function scoreDocuments(
  words: readonly SoughtWord[],
  excluded: readonly Uint8Array[],
  { size, documents, isSentence }: Scoring,
  pause: () => Promise<void>,
  counted: readonly CountedDocument[] = [],
): Promise<Scores> {
  const scores = new Float32Array(size);
  const shares = takeZeros(size);
  const best = takeZeros(
    words.some(({ alternatives, isRequired }) => alternatives.length > 1 || isRequired) ? size : 0,
  );
  const required = words.filter(({ isRequired }) => isRequired).length;
  const requiredFound = takeZeros(required > 0 ? size : 0);
  const weights = new Map<string, number>();
  const importances: number[] = [];
  let total = 0;
  let done = 0;
  for (const { alternatives, isRequired } of words) {
    let importance = 0;
    for (const { term, weight, frequency } of alternatives) {
      const worth = weight * rarity(frequency, documents);
      importance = Math.max(importance, worth);
      weights.set(term, Math.max(weights.get(term) ?? 0, worth));
    }
    total += importance;
    importances.push(importance);
    const isSingle = alternatives.length === 1 && !isRequired;
    for (const { weight, frequency, blocks } of alternatives) {
      const worths = worthsOf(weight * rarity(frequency, documents));
      for (const block of blocks) {
        done += isSingle
          ? addPostings(block, worths, scores, shares, importance)
          : raisePostings(block, worths, best);
        if (done < STRIDE) continue;
        await pause();
        done = 0;
      }
    }
    if (isSingle) continue;
    for (let document = 0; document < size; document++) {
      const value = best[document] as number;
      if (value === 0) continue;
      scores[document] = (scores[document] as number) + value;
      shares[document] = (shares[document] as number) + importance;
      if (isRequired) requiredFound[document] = (requiredFound[document] as number) + 1;
      best[document] = 0;
    }
    done += size / 10;
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
    if (required > 0 && (requiredFound[document] as number) < required) scores[document] = 0;
    else
      scores[document] = !isSentence && share >= all ? most + score : score * (share / total) ** SHARE_POWER;
  }
  for (const array of [shares, best, requiredFound]) giveBack(array);
  return { of: scores, most: most * 2, weights };
}

/** What postings of a term count, by their impact. */
const worthsOf = (worth: number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, impact) => worth * impactOf(impact));
