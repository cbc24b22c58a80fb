/** What the words of a query may stand for: words that begin like them, differ by an edit, or have another ending. */

import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { QueryWord } from '../engine/search/query.ts';
import {
  COMMONER,
  halvesOf,
  isOneEditApart,
  MAX_OCCURRENCES,
  MIN_LENGTH,
} from '../engine/search/spelling.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import { cachedRows, rowCache } from './cached-rows.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Words that a beginning stands for, and that a misspelt word may be. */
const MAX_COMPLETIONS = 30;
const MAX_CORRECTIONS = 3;
/** Shorter beginnings stand for too much. */
const MIN_PREFIX = 2;
/** The shortest stem that is looked for with other endings, how many characters these may have, and the words looked through. */
const MIN_STEM = 4;
const MAX_ENDING = 2;
const MAX_VARIANTS = 40;
/** Words looked through for those that differ by an edit. */
const MAX_NEIGHBOURS = 4000;

/** Sorts after everything that begins alike. */
const LAST = '\u{10ffff}';

const selectWords = (db: Db, organization: string) =>
  db
    .selectFrom('search_word')
    .select(['word', 'term', 'frequency'])
    .where('organization_id', '=', organization);

const readCompletions = statement((db, organization: string, from: string, to: string) =>
  selectWords(db, organization)
    .where('word', '>=', from)
    .where('word', '<', to)
    .orderBy('frequency', 'desc')
    .limit(MAX_COMPLETIONS),
);

/** Pairs of characters are no words: the postings of those that begin with a character are found by their terms. */
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

/** Words from `start` up to `end`, of about a length, each for one that is sought. */
const ranges = (sought: string[], starts: string[], ends: string[], lengths: string[]) =>
  sql<{
    sought: string;
    start: string;
    end: string;
    length: number;
  }>`unnest(${sought}::text[], ${starts}::text[], ${ends}::text[], ${lengths}::int[])`.as<'range'>(
    sql`range(sought, start, "end", length)`,
  );
const isOfLength = sql<boolean>`length(word) between range.length - 1 and range.length + 1`;
const start = sql<string>`range.start collate "C"`;
const end = sql<string>`range."end" collate "C"`;

const readBeginnings = statement(
  (db, organization: string, sought: string[], starts: string[], ends: string[], lengths: string[]) =>
    db
      .selectFrom(ranges(sought, starts, ends, lengths))
      .innerJoinLateral(
        () =>
          selectWords(db, organization)
            .where('word', '>=', start)
            .where('word', '<', end)
            .where(isOfLength)
            .limit(MAX_NEIGHBOURS)
            .as('found'),
        (join) => join.onTrue(),
      )
      .select(['range.sought', 'found.word', 'found.term', 'found.frequency']),
);

const reversed = sql<string>`(reverse(word) collate "C")`;
const readEndings = statement(
  (db, organization: string, sought: string[], starts: string[], ends: string[], lengths: string[]) =>
    db
      .selectFrom(ranges(sought, starts, ends, lengths))
      .innerJoinLateral(
        () =>
          selectWords(db, organization)
            .where(reversed, '>=', start)
            .where(reversed, '<', end)
            .where(isOfLength)
            .limit(MAX_NEIGHBOURS)
            .as('found'),
        (join) => join.onTrue(),
      )
      .select(['range.sought', 'found.word', 'found.term', 'found.frequency']),
);

const readWords = statement((db, organization: string, words: string[]) =>
  selectWords(db, organization).where('word', '=', sqlAny(words)),
);

const readVariants = statement((db, organization: string, starts: string[], ends: string[]) =>
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
          .limit(MAX_VARIANTS)
          .as('found'),
      (join) => join.onTrue(),
    )
    .select(['range.start as sought', 'found.term', 'found.frequency']),
);

/** The words of an index that are looked for. */
export interface IndexWords {
  db: Db;
  organization: string;
  /** Of the index; once it is known, what is read is not older. */
  version: Promise<string>;
}

/** A word that another one, or the beginning of one, may stand for. */
interface Candidate {
  /** What is sought. */
  sought: string;
  term: string;
  frequency: number;
}

/** Approximate bytes of candidates, in each of the caches. */
const WORD_BYTES = 2 * 1024 * 1024;

const candidateCache = () =>
  rowCache<Candidate>(WORD_BYTES, ({ sought, term }) => 150 + 2 * (sought.length + term.length));
const completionCache = candidateCache();
const endingCache = candidateCache();
const neighbourCache = candidateCache();

const soughtIn = ({ sought }: Candidate): string => sought;

/** The terms of words that begin like one. */
export async function findCompletions(
  { db, organization, version }: IndexWords,
  { word, isLoose }: QueryWord,
): Promise<{ term: string }[]> {
  const isLongEnough = isLoose ? word.length >= MIN_PREFIX : [...word].length === 1;
  if (!isLongEnough) return [];
  const readWith = isLoose ? readCompletions : readPairs;
  return cachedRows(completionCache, await version, [word], soughtIn, async () => {
    const rows = await readWith(db, organization, word, word + LAST);
    return rows.map(({ term, frequency }) => ({ sought: word, term, frequency: Number(frequency) }));
  });
}

/** What begins like a word, outside of the index. */
export const completionsIn = ({ words }: Vocabulary, { word, isLoose }: QueryWord): { term: string }[] =>
  isLoose && word.length >= MIN_PREFIX
    ? words.filter((one) => one.word.startsWith(word)).slice(0, MAX_COMPLETIONS)
    : [];

/** Where stems begin that are like that of a word but for their endings. */
const startOf = ({ term }: QueryWord): string => term.slice(0, Math.max(MIN_STEM, term.length - 1));

const hasVariants = ({ isLoose, term, word }: QueryWord): boolean =>
  isLoose && term.length >= MIN_STEM && !/\d/.test(term) && word.startsWith(term.slice(0, MIN_STEM));

export const isVariant = (word: QueryWord, term: string): boolean =>
  hasVariants(word) &&
  term !== word.term &&
  term.length >= MIN_STEM &&
  Math.abs(term.length - word.term.length) <= MAX_ENDING &&
  (term.startsWith(word.term) || word.term.startsWith(term));

/** The terms among which the variants of some words are. */
export async function readOtherEndings(
  { db, organization, version }: IndexWords,
  words: readonly QueryWord[],
): Promise<string[]> {
  const starts = [...new Set(words.filter(hasVariants).map(startOf))];
  if (starts.length === 0) return [];
  const found = await cachedRows(endingCache, await version, starts, soughtIn, (missing) =>
    readVariants(
      db,
      organization,
      missing,
      missing.map((start) => start + LAST),
    ),
  );
  return [...new Set(found.map(({ term }) => term))];
}

export const mayBeMisspelt = ({ isLoose, word }: QueryWord, frequency: number): boolean =>
  isLoose && word.length >= MIN_LENGTH && frequency <= MAX_OCCURRENCES && !/\d/.test(word);

/** Of each word, the terms of those that differ by an edit and are much commoner: what is rare may be right as it is. */
export async function findCorrections(
  index: IndexWords,
  words: readonly QueryWord[],
  frequencyOf: (word: QueryWord) => number,
  vocabulary: Vocabulary,
): Promise<Map<QueryWord, string[]>> {
  if (words.length === 0) return new Map();
  const sought = words.map(({ word }) => word);
  const rows = await cachedRows(neighbourCache, await index.version, sought, soughtIn, (missing) =>
    readNeighbours(index, missing),
  );
  const near = Map.groupBy(rows, soughtIn);
  return new Map(
    words.map((word) => {
      const found = new Map<string, number>();
      const additional = vocabulary.words.filter((one) => isOneEditApart(one.word, word.word));
      for (const { term, frequency } of [...(near.get(word.word) ?? []), ...additional])
        if (term !== word.term && frequency >= COMMONER * frequencyOf(word)) found.set(term, frequency);
      const best = [...found].sort(([, one], [, other]) => other - one);
      return [word, best.slice(0, MAX_CORRECTIONS).map(([term]) => term)];
    }),
  );
}

/** The words that differ by an edit from each of some. */
async function readNeighbours(
  { db, organization }: IndexWords,
  words: readonly string[],
): Promise<Candidate[]> {
  const sought = [...words];
  const halves = words.map(halvesOf);
  const lengths = halves.map(({ length }) => `${length}`);
  const starts = halves.map(({ start }) => start);
  const ends = halves.map(({ end }) => end);
  const [beginnings, endings, swapped] = await Promise.all([
    readBeginnings(
      db,
      organization,
      sought,
      starts,
      starts.map((start) => start + LAST),
      lengths,
    ),
    readEndings(
      db,
      organization,
      sought,
      ends,
      ends.map((end) => end + LAST),
      lengths,
    ),
    readWords(
      db,
      organization,
      halves.map(({ swapped }) => swapped),
    ),
  ]);
  const near = [...beginnings, ...endings].filter((row) => isOneEditApart(row.word, row.sought));
  const others = words.flatMap((word) =>
    swapped.filter((row) => isOneEditApart(row.word, word)).map((row) => ({ ...row, sought: word })),
  );
  return [...near, ...others].map(({ sought, term, frequency }) => ({ sought, term, frequency }));
}
