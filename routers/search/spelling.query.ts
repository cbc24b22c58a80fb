/** Query expansion: finds prefix completions, spelling corrections and variants of the words of a query. */

import { setImmediate } from 'node:timers/promises';
import type { Db } from '../base/db.ts';
import { type EntryReader, eachWithPrefix } from '../engine/search/entry-blocks.ts';
import type { QueryWord } from '../engine/search/query.ts';
import { eachTermOfWord, readTerm, readTermsOfWord, reverse } from '../engine/search/segment.ts';
import {
  isOneEditApart,
  MAX_MISSPELT_FREQUENCY,
  MIN_CORRECTED_LENGTH,
  neighbourLookupOf,
} from '../engine/search/spelling.ts';
import { readBlocksOfPairs, readBlocksOfWords } from './blocks.query.ts';
import { cachedRows, rowCache } from './cached-rows.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Minimum length of a prefix; shorter ones match too many words. */
const MIN_PREFIX = 2;
/** For variants of a stem: its minimum length, and the maximum length of the ending. */
const MIN_STEM = 4;
const MAX_ENDING = 2;
/**
 * How many of the most frequent words with the same beginning are considered as completions and variants. These are many more
 * than are used, because some of them may occur only where the reader may not look.
 */
export const MAX_CANDIDATES = 100;
/** How many words are read between two pauses. */
const STRIDE = 20_000;

/** The words of an index. */
export interface IndexWords {
  db: Db;
  organization: string;
  /** The version of the index, which must be known before anything is read: so what is cached under it is not older. */
  version: string;
}

/** A term that may replace or complete a word of a query. */
export interface CountedTerm {
  term: string;
  /** The number of documents with the term, including those that the reader may not find. */
  frequency: number;
}

interface Candidate extends CountedTerm {
  /** The word or prefix that was looked up. */
  lookup: string;
}

/** Approximate sizes of the caches of candidates, in bytes. */
const BEGINNING_BYTES = 4 * 1024 * 1024;
const NEIGHBOUR_BYTES = 2 * 1024 * 1024;

/** The candidates of one lookup. As objects, they would take several times the memory. */
interface PackedCandidates {
  lookup: string;
  /** Separated by line feeds. */
  terms: string;
  frequencies: Uint32Array;
}

const packed = (lookup: string, candidates: readonly CountedTerm[]): PackedCandidates => ({
  lookup,
  terms: candidates.map(({ term }) => term).join('\n'),
  frequencies: Uint32Array.from(candidates, ({ frequency }) => frequency),
});

function unpacked({ lookup, terms, frequencies }: PackedCandidates): Candidate[] {
  if (frequencies.length === 0) return [];
  return terms.split('\n').map((term, index) => ({ lookup, term, frequency: frequencies[index] as number }));
}

/** By {@link BeginningKind} and the beginning of words. */
const beginningCache = rowCache<PackedCandidates>(
  BEGINNING_BYTES,
  ({ lookup, terms, frequencies }) => 250 + 2 * (lookup.length + terms.length) + frequencies.byteLength,
);
const neighbourCache = rowCache<Candidate>(
  NEIGHBOUR_BYTES,
  ({ lookup, term }) => 150 + 2 * (lookup.length + term.length),
);

const lookupOf = ({ lookup }: { lookup: string }): string => lookup;

/**
 * What is looked up by the beginning of words: the terms of words that begin with it, those of them that are short enough for
 * variants, or the pairs that begin with a character.
 */
type BeginningKind = 'completions' | 'variants' | 'pairs';

const beginningKey = (kind: BeginningKind, start: string): string => `${kind} ${start}`;

/** Terms that may stand for words of a query. */
interface RelatedTerms {
  /** Terms of words that begin with the last word of the query. */
  completions: Candidate[];
  /** Terms that may be variants of any word; see {@link isVariantOf}. */
  variants: Candidate[];
}

/** Finds the completions of the last word of a query, if it may be unfinished, and variants of all words. */
export async function findRelated(
  index: IndexWords,
  words: readonly QueryWord[],
  prefix: QueryWord | undefined,
): Promise<RelatedTerms> {
  const variants = [...new Set(words.filter(mayHaveVariants).map(variantPrefixOf))];
  const completed = prefix && mayBeCompleted(prefix) ? [prefix.word] : [];
  const [rows, pairs] = await Promise.all([
    findBeginnings(index, { variants, completions: completed }),
    prefix && !prefix.isFuzzy && [...prefix.word].length === 1 ? findPairs(index, prefix.word) : [],
  ]);
  const isCompletion = ({ lookup }: Candidate) =>
    completed.some((start) => lookup === beginningKey('completions', start));
  return {
    completions: [...rows.filter(isCompletion), ...pairs],
    variants: rows.filter((row) => !isCompletion(row)),
  };
}

const mayBeCompleted = ({ word, isFuzzy }: QueryWord): boolean => isFuzzy && word.length >= MIN_PREFIX;

async function findBeginnings(
  { db, organization, version }: IndexWords,
  { variants, completions }: Record<'variants' | 'completions', readonly string[]>,
): Promise<Candidate[]> {
  const lookups = [
    ...variants.map((start) => ({
      key: beginningKey('variants', start),
      start,
      maxLength: maxVariantLength(start),
    })),
    ...completions.map((start) => ({
      key: beginningKey('completions', start),
      start,
      maxLength: Number.POSITIVE_INFINITY,
    })),
  ];
  const keys = lookups.map(({ key }) => key);
  const rows = await cachedRows(beginningCache, version, keys, lookupOf, async (missing) => {
    const needed = lookups.filter(({ key }) => missing.includes(key));
    const starts = [...new Set(needed.map(({ start }) => start))];
    const blocks = Map.groupBy(
      await readBlocksOfWords(db, organization, 'word', starts),
      ({ lookup }) => lookup,
    );
    const found: PackedCandidates[] = [];
    for (const { key, start, maxLength } of needed) {
      const frequencies = new Map<string, number>();
      const add = (term: string, frequency: number) =>
        frequencies.set(term, (frequencies.get(term) ?? 0) + frequency);
      await eachWord(blocks.get(start) ?? [], (_, entry) =>
        eachTermOfWord(() => entry.key, entry.readValue(), add, maxLength),
      );
      found.push(packed(key, mostFrequentOf(frequencies)));
    }
    return found;
  });
  return rows.flatMap(unpacked);
}

const mostFrequentOf = (frequencies: ReadonlyMap<string, number>): CountedTerm[] =>
  mostFrequent(
    [...frequencies].map(([term, frequency]) => ({ term, frequency })),
    MAX_CANDIDATES,
  );

export const mostFrequent = <Counted extends { frequency: number }>(
  candidates: readonly Counted[],
  most: number,
): Counted[] => candidates.toSorted((one, other) => other.frequency - one.frequency).slice(0, most);

/** Pairs of characters are not stored as words, so the pairs that begin with a character are looked up among the terms. */
async function findPairs({ db, organization, version }: IndexWords, character: string): Promise<Candidate[]> {
  const lookup = beginningKey('pairs', character);
  const rows = await cachedRows(beginningCache, version, [lookup], lookupOf, async () => {
    const frequencies = new Map<string, number>();
    const count = (term: string, frequency: number) =>
      frequencies.set(term, (frequencies.get(term) ?? 0) + frequency);
    for (const { key, frequency, block } of await readBlocksOfPairs(db, organization, character)) {
      if (block) eachWithPrefix(block, character, ({ key, value }) => count(key, readTerm(value).frequency));
      else if (key.startsWith(character)) count(key, frequency ?? 0);
    }
    return [packed(lookup, mostFrequentOf(frequencies))];
  });
  return rows.flatMap(unpacked);
}

/** The completions of a word in a vocabulary. */
export const completionsIn = ({ words }: Vocabulary, prefix: QueryWord): Vocabulary['words'] =>
  mayBeCompleted(prefix) ? words.filter(({ word }) => word.startsWith(prefix.word)) : [];

/** The common prefix of a word's stem and its variants. */
const variantPrefixOf = ({ term }: QueryWord): string => term.slice(0, Math.max(MIN_STEM, term.length - 1));

/** The maximum length of a variant of a stem with this prefix, which may be one letter longer. */
const maxVariantLength = (variantPrefix: string): number => variantPrefix.length + 1 + MAX_ENDING;

const mayHaveVariants = ({ isFuzzy, term, word }: QueryWord): boolean =>
  isFuzzy && term.length >= MIN_STEM && !/\d/.test(term) && word.startsWith(term.slice(0, MIN_STEM));

/** Whether a term is a variant of a word: one stem is the other with an ending. */
export const isVariantOf = (word: QueryWord, term: string): boolean =>
  mayHaveVariants(word) &&
  term !== word.term &&
  term.length >= MIN_STEM &&
  Math.abs(term.length - word.term.length) <= MAX_ENDING &&
  (term.startsWith(word.term) || word.term.startsWith(term));

export const mayBeMisspelt = ({ isFuzzy, word }: QueryWord, frequency: number): boolean =>
  isFuzzy && word.length >= MIN_CORRECTED_LENGTH && frequency <= MAX_MISSPELT_FREQUENCY && !/\d/.test(word);

/** Finds, for each word, the terms of words that differ by one edit. */
export async function findNeighbours(
  index: IndexWords,
  words: readonly QueryWord[],
  vocabulary: Vocabulary,
): Promise<Map<QueryWord, CountedTerm[]>> {
  if (words.length === 0) return new Map();
  const lookups = words.map(({ word }) => word);
  const rows = await cachedRows(neighbourCache, index.version, lookups, lookupOf, (missing) =>
    readNeighbours(index, missing),
  );
  const near = Map.groupBy(rows, lookupOf);
  return new Map(
    words.map((word) => {
      const additional = vocabulary.words.filter((one) => isOneEditApart(one.word, word.word));
      const all = [...(near.get(word.word) ?? []), ...additional];
      return [word, all.filter(({ term }) => term !== word.term)];
    }),
  );
}

/** Reads the words that differ by one edit from each of some words. */
async function readNeighbours(
  { db, organization }: IndexWords,
  words: readonly string[],
): Promise<Candidate[]> {
  const neighbours = words.map((word) => ({ word, ...neighbourLookupOf(word) }));
  const starts = neighbours.flatMap(({ word, firstHalf, swapped }) => [
    { word, prefix: firstHalf },
    ...(swapped.startsWith(firstHalf) ? [] : [{ word, prefix: swapped }]),
  ]);
  const ends = neighbours.map(({ word, reversedSecondHalf }) => ({ word, prefix: reversedSecondHalf }));
  const [sameStart, sameEnd] = await Promise.all([
    readNeighboursBy({ db, organization }, 'word', starts),
    readNeighboursBy({ db, organization }, 'reversed', ends),
  ]);
  // A word that both directions lead to has the same frequency in both.
  return [...new Map([...sameStart, ...sameEnd]).values()];
}

interface NeighbourPrefix {
  word: string;
  prefix: string;
}

/** Reads the words that begin with some prefixes, in one direction, and differ by one edit from the words looked up by them. */
async function readNeighboursBy(
  { db, organization }: Pick<IndexWords, 'db' | 'organization'>,
  kind: 'word' | 'reversed',
  prefixes: readonly NeighbourPrefix[],
): Promise<Map<string, Candidate>> {
  const wordsByPrefix = Map.groupBy(prefixes, ({ prefix }) => prefix);
  const rows = await readBlocksOfWords(db, organization, kind, [...wordsByPrefix.keys()]);
  const candidates = new Candidates();
  await eachWord(rows, (prefix, entry) => {
    const length = entry.keyLength;
    for (const { word } of wordsByPrefix.get(prefix) ?? []) {
      if (Math.abs(length - word.length) > 1) continue;
      const found = kind === 'word' ? entry.key : reverse(entry.key);
      if (isOneEditApart(found, word)) candidates.add(word, found, entry.value);
    }
  });
  return candidates.byWord;
}

/** Calls `visit` for each entry in some blocks that begins with the prefix they were looked up by. */
async function eachWord(
  rows: readonly { lookup: string; block: Uint8Array }[],
  visit: (lookup: string, entry: EntryReader) => void,
): Promise<void> {
  let visited = 0;
  for (const { lookup, block } of rows) {
    eachWithPrefix(block, lookup, (entry) => {
      visit(lookup, entry);
      visited++;
    });
    if (visited < STRIDE) continue;
    await setImmediate();
    visited = 0;
  }
}

/** Adds up the frequencies of words in all segments. */
class Candidates {
  readonly byWord = new Map<string, Candidate>();

  add(lookup: string, word: string, value: Uint8Array): void {
    for (const { term, frequency } of readTermsOfWord(word, value)) {
      const key = `${lookup} ${word} ${term}`;
      const known = this.byWord.get(key);
      if (known) known.frequency += frequency;
      else this.byWord.set(key, { lookup, term, frequency });
    }
  }
}
