/** Query expansion: finds prefix completions, spelling corrections and variants of the words of a query. */

import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { QueryWord } from '../engine/search/query.ts';
import {
  isOneEditApart,
  MAX_MISSPELT_FREQUENCY,
  MIN_CORRECTED_LENGTH,
  MIN_CORRECTION_RATIO,
  neighbourLookupOf,
} from '../engine/search/spelling.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import { cachedRows, rowCache } from './cached-rows.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Maximum number of completions of a prefix, and of corrections of a word. */
const MAX_COMPLETIONS = 30;
const MAX_CORRECTIONS = 3;
/** Minimum length of a prefix; shorter ones match too many words. */
const MIN_PREFIX = 2;
/** For variants of a stem: its minimum length, and the maximum length of the ending. */
const MIN_STEM = 4;
const MAX_ENDING = 2;
/** How many words with the same beginning are considered as completions and variants. */
const MAX_CANDIDATES = 40;
/** How many words with the same half are checked for corrections. */
const MAX_NEIGHBOURS = 4000;

/** Appended to a prefix, sorts after all words that begin with it. */
const LAST = '\u{10ffff}';

const selectWords = (db: Db, organization: string) =>
  db
    .selectFrom('search_word')
    .select(['word', 'term', 'frequency'])
    .where('organization_id', '=', organization);

/** Pairs of characters are not stored as words, so the pairs that begin with a character are looked up among the terms. */
const readPairs = statement((db, organization: string, from: string, to: string) =>
  db
    .selectFrom('search_posting')
    .select((eb) => ['term', eb.fn.sum<string>('frequency').as('frequency')])
    .where('organization_id', '=', organization)
    .where('term', '>=', from)
    .where('term', '<', to)
    .groupBy('term')
    .orderBy('frequency', 'desc')
    .limit(MAX_COMPLETIONS),
);

/** For each word that is looked up, the range of words from `start` to `end` with about the given length. */
const ranges = (lookups: string[], starts: string[], ends: string[], lengths: string[]) =>
  sql<{
    lookup: string;
    start: string;
    end: string;
    length: number;
  }>`unnest(${lookups}::text[], ${starts}::text[], ${ends}::text[], ${lengths}::int[])`.as<'range'>(
    sql`range(lookup, start, "end", length)`,
  );
const isOfLength = sql<boolean>`length(word) between range.length - 1 and range.length + 1`;
const start = sql<string>`range.start collate "C"`;
const end = sql<string>`range."end" collate "C"`;

const readSameStart = statement(
  (db, organization: string, lookups: string[], starts: string[], ends: string[], lengths: string[]) =>
    db
      .selectFrom(ranges(lookups, starts, ends, lengths))
      .innerJoinLateral(
        () =>
          selectWords(db, organization)
            .where('word', '>=', start)
            .where('word', '<', end)
            .where(isOfLength)
            .limit(MAX_NEIGHBOURS)
            .as('candidate'),
        (join) => join.onTrue(),
      )
      .select(['range.lookup', 'candidate.word', 'candidate.term', 'candidate.frequency']),
);

const reversed = sql<string>`(reverse(word) collate "C")`;
const readSameEnd = statement(
  (db, organization: string, lookups: string[], starts: string[], ends: string[], lengths: string[]) =>
    db
      .selectFrom(ranges(lookups, starts, ends, lengths))
      .innerJoinLateral(
        () =>
          selectWords(db, organization)
            .where(reversed, '>=', start)
            .where(reversed, '<', end)
            .where(isOfLength)
            .limit(MAX_NEIGHBOURS)
            .as('candidate'),
        (join) => join.onTrue(),
      )
      .select(['range.lookup', 'candidate.word', 'candidate.term', 'candidate.frequency']),
);

const readWords = statement((db, organization: string, words: string[]) =>
  selectWords(db, organization).where('word', '=', sqlAny(words)),
);

/** For each beginning, the most frequent words from `start` to `end`. */
const readBeginnings = statement((db, organization: string, starts: string[], ends: string[]) =>
  db
    .selectFrom(
      sql<{ start: string; end: string }>`unnest(${starts}::text[], ${ends}::text[])`.as<'range'>(
        sql`range(start, "end")`,
      ),
    )
    .innerJoinLateral(
      () =>
        selectWords(db, organization)
          .where('word', '>=', start)
          .where('word', '<', end)
          .orderBy('frequency', 'desc')
          .limit(MAX_CANDIDATES)
          .as('candidate'),
      (join) => join.onTrue(),
    )
    .select(['range.start as lookup', 'candidate.term', 'candidate.frequency']),
);

/** The words of an index. */
export interface IndexWords {
  db: Db;
  organization: string;
  /** The version of the index, which must be known before anything is read: so what is cached under it is not older. */
  version: Promise<string>;
}

/** A term that may replace or complete a word of a query. */
interface Candidate {
  /** The word or prefix that was looked up. */
  lookup: string;
  term: string;
  frequency: number;
}

/** Approximate sizes of the caches of candidates, in bytes. */
const BEGINNING_BYTES = 4 * 1024 * 1024;
const NEIGHBOUR_BYTES = 2 * 1024 * 1024;

const sizeOf = ({ lookup, term }: Candidate): number => 150 + 2 * (lookup.length + term.length);
/** By the beginning of words, or by the first character of pairs: no word is looked up by a single character. */
const beginningCache = rowCache<Candidate>(BEGINNING_BYTES, sizeOf);
const neighbourCache = rowCache<Candidate>(NEIGHBOUR_BYTES, sizeOf);

const lookupOf = ({ lookup }: Candidate): string => lookup;

/** Terms that may stand for words of a query. */
interface RelatedTerms {
  /** Terms of words that begin with the last word of the query. */
  completions: string[];
  /** Terms that may be variants of any word; see {@link variantsOf}. */
  variants: string[];
}

/** Finds the completions of the last word of a query, if it may be unfinished, and variants of all words. */
export async function findRelated(
  index: IndexWords,
  words: readonly QueryWord[],
  prefix: QueryWord | undefined,
): Promise<RelatedTerms> {
  const variantStarts = new Set(words.filter(mayHaveVariants).map(variantPrefixOf));
  const completed = prefix && mayBeCompleted(prefix) ? prefix.word : undefined;
  const starts = new Set([...variantStarts, ...(completed === undefined ? [] : [completed])]);
  const [rows, pairs] = await Promise.all([
    starts.size > 0 ? findBeginnings(index, [...starts]) : [],
    prefix && !prefix.isFuzzy && [...prefix.word].length === 1 ? findPairs(index, prefix.word) : [],
  ]);
  const completions = [...rows.filter(({ lookup }) => lookup === completed), ...pairs]
    .sort((one, other) => other.frequency - one.frequency)
    .slice(0, MAX_COMPLETIONS);
  const variants = rows.filter(({ lookup }) => variantStarts.has(lookup));
  return { completions: termsOf(completions), variants: termsOf(variants) };
}

const mayBeCompleted = ({ word, isFuzzy }: QueryWord): boolean => isFuzzy && word.length >= MIN_PREFIX;

const termsOf = (candidates: readonly Candidate[]): string[] => [
  ...new Set(candidates.map(({ term }) => term)),
];

const findBeginnings = async (
  { db, organization, version }: IndexWords,
  starts: readonly string[],
): Promise<Candidate[]> =>
  cachedRows(beginningCache, await version, starts, lookupOf, (missing) =>
    readBeginnings(
      db,
      organization,
      missing,
      missing.map((start) => start + LAST),
    ),
  );

const findPairs = async (
  { db, organization, version }: IndexWords,
  character: string,
): Promise<Candidate[]> =>
  cachedRows(beginningCache, await version, [character], lookupOf, async () => {
    const rows = await readPairs(db, organization, character, character + LAST);
    return rows.map(({ term, frequency }) => ({ lookup: character, term, frequency: Number(frequency) }));
  });

/** The completions of a word in a vocabulary. */
export const completionsIn = ({ words }: Vocabulary, prefix: QueryWord): string[] =>
  mayBeCompleted(prefix)
    ? words
        .filter(({ word }) => word.startsWith(prefix.word))
        .slice(0, MAX_COMPLETIONS)
        .map(({ term }) => term)
    : [];

/** The common prefix of a word's stem and its variants. */
const variantPrefixOf = ({ term }: QueryWord): string => term.slice(0, Math.max(MIN_STEM, term.length - 1));

const mayHaveVariants = ({ isFuzzy, term, word }: QueryWord): boolean =>
  isFuzzy && term.length >= MIN_STEM && !/\d/.test(term) && word.startsWith(term.slice(0, MIN_STEM));

/** The terms that are variants of a word: one stem is the other with an ending. */
export const variantsOf = (word: QueryWord, terms: readonly string[]): string[] =>
  mayHaveVariants(word)
    ? terms.filter(
        (term) =>
          term !== word.term &&
          term.length >= MIN_STEM &&
          Math.abs(term.length - word.term.length) <= MAX_ENDING &&
          (term.startsWith(word.term) || word.term.startsWith(term)),
      )
    : [];

export const mayBeMisspelt = ({ isFuzzy, word }: QueryWord, frequency: number): boolean =>
  isFuzzy && word.length >= MIN_CORRECTED_LENGTH && frequency <= MAX_MISSPELT_FREQUENCY && !/\d/.test(word);

/** Finds, for each word, the terms of much more frequent words that differ by one edit; a rare word may well be correct. */
export async function findCorrections(
  index: IndexWords,
  words: readonly QueryWord[],
  frequencyOf: (word: QueryWord) => number,
  vocabulary: Vocabulary,
): Promise<Map<QueryWord, string[]>> {
  if (words.length === 0) return new Map();
  const lookups = words.map(({ word }) => word);
  const rows = await cachedRows(neighbourCache, await index.version, lookups, lookupOf, (missing) =>
    readNeighbours(index, missing),
  );
  const near = Map.groupBy(rows, lookupOf);
  return new Map(
    words.map((word) => {
      const frequencies = new Map<string, number>();
      const additional = vocabulary.words.filter((one) => isOneEditApart(one.word, word.word));
      for (const { term, frequency } of [...(near.get(word.word) ?? []), ...additional])
        if (term !== word.term && frequency >= MIN_CORRECTION_RATIO * frequencyOf(word))
          frequencies.set(term, frequency);
      const best = [...frequencies].sort(([, one], [, other]) => other - one);
      return [word, best.slice(0, MAX_CORRECTIONS).map(([term]) => term)];
    }),
  );
}

/** Reads the words that differ by one edit from each of some words. */
async function readNeighbours(
  { db, organization }: IndexWords,
  words: readonly string[],
): Promise<Candidate[]> {
  const lookups = [...words];
  const neighbours = words.map(neighbourLookupOf);
  const lengths = neighbours.map(({ length }) => `${length}`);
  const starts = neighbours.map(({ firstHalf }) => firstHalf);
  const ends = neighbours.map(({ reversedSecondHalf }) => reversedSecondHalf);
  const [sameStart, sameEnd, swapped] = await Promise.all([
    readSameStart(
      db,
      organization,
      lookups,
      starts,
      starts.map((start) => start + LAST),
      lengths,
    ),
    readSameEnd(
      db,
      organization,
      lookups,
      ends,
      ends.map((end) => end + LAST),
      lengths,
    ),
    readWords(
      db,
      organization,
      neighbours.map(({ swapped }) => swapped),
    ),
  ]);
  const near = [...sameStart, ...sameEnd].filter((row) => isOneEditApart(row.word, row.lookup));
  const others = words.flatMap((word) =>
    swapped.filter((row) => isOneEditApart(row.word, word)).map((row) => ({ ...row, lookup: word })),
  );
  return [...near, ...others].map(({ lookup, term, frequency }) => ({ lookup, term, frequency }));
}
