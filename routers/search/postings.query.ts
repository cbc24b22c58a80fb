import { sql } from 'kysely';
import type { Db } from '../base/context.ts';
import type { QueryWord } from '../engine/search/query.ts';
import type { Alternative, SoughtWord } from '../engine/search/ranking.ts';
import {
  COMMONER,
  halvesOf,
  isOneEditApart,
  MAX_OCCURRENCES,
  MIN_LENGTH,
} from '../engine/search/spelling.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';

/** What a word counts that goes on, or is spelled differently; more where nothing has it as it is spelled. */
const PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.7;
const ONLY_TYPO_WEIGHT = 0.9;
/** What a word counts whose stem has another ending: stemming leaves "migr" of "migrer", and "migrat" of "migration". */
const VARIANT_WEIGHT = 0.6;

/** Words that a beginning stands for, and that a misspelt word may be. */
const MAX_COMPLETIONS = 30;
const MAX_CORRECTIONS = 3;
/** Shorter beginnings stand for too much. */
const MIN_PREFIX = 2;
/** A word that so many documents have is meant as it stands. */
const COMMON = 20;
/** The shortest stem that is looked for with other endings, how many characters these may have, and the words looked through. */
const MIN_STEM = 4;
const MAX_ENDING = 2;
const MAX_VARIANTS = 40;
/** Words looked through for those that differ by an edit. */
const MAX_NEIGHBOURS = 4000;

/** Sorts after everything that begins alike. */
const LAST = '\u{10ffff}';

/** What is searched besides the index. */
export interface Vocabulary {
  postings(terms: readonly string[]): { term: string; frequency: number; block: Uint8Array }[];
  words: readonly { word: string; term: string; frequency: number }[];
}

/** How large an index is, and its generation. */
export interface SearchIndex {
  documents: number;
  lastDocument: number;
  generation: number;
}

const readIndexRow = statement((db, organization: string) =>
  db
    .selectFrom('search_index')
    .select(['documents', 'last_document as lastDocument', 'generation'])
    .where('organization_id', '=', organization),
);

/** The index of an organization; an empty one if there is none yet. */
export async function readIndex(db: Db, organization: string): Promise<SearchIndex> {
  const [index] = await readIndexRow(db, organization);
  return index ?? { documents: 0, lastDocument: 0, generation: 0 };
}

const readPostings = statement((db, organization: string, terms: string[]) =>
  db
    .selectFrom('search_posting')
    .innerJoin('search_segment', (join) =>
      join
        .onRef('search_segment.organization_id', '=', 'search_posting.organization_id')
        .onRef('search_segment.number', '=', 'search_posting.segment'),
    )
    .select(['search_posting.term', 'search_posting.frequency', 'search_posting.block'])
    .where('search_posting.organization_id', '=', organization)
    .where('search_posting.term', '=', sqlAny(terms)),
);

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

const ofLengths = (lengths: string[]) => sql<boolean>`length(word) = any(${lengths}::int[])`;

const readWord = statement((db, organization: string, word: string) =>
  selectWords(db, organization).where('word', '=', word),
);

const readBeginning = statement((db, organization: string, from: string, to: string, lengths: string[]) =>
  selectWords(db, organization)
    .where('word', '>=', from)
    .where('word', '<', to)
    .where(ofLengths(lengths))
    .limit(MAX_NEIGHBOURS),
);

const reversed = sql<string>`(reverse(word) collate "C")`;
const readEnding = statement((db, organization: string, from: string, to: string, lengths: string[]) =>
  selectWords(db, organization)
    .where(reversed, '>=', from)
    .where(reversed, '<', to)
    .where(ofLengths(lengths))
    .limit(MAX_NEIGHBOURS),
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
          .where('word', '>=', sql<string>`range.start collate "C"`)
          .where('word', '<', sql<string>`range.end collate "C"`)
          .orderBy('frequency', 'desc')
          .limit(MAX_VARIANTS)
          .as('found'),
      (join) => join.onTrue(),
    )
    .select('found.term')
    .distinct(),
);

interface Spelling {
  term: string;
  weight: number;
}

/** The words of a query with the documents that have them, in two round trips to the database, or three. */
export async function seekWords(
  db: Db,
  organization: string,
  words: readonly QueryWord[],
  excluded: readonly string[],
  besides: Promise<Vocabulary>,
): Promise<{ sought: SoughtWord[]; excluded: Uint8Array[] }> {
  const open = words.find(({ isOpen }) => isOpen);
  const terms = words.flatMap(({ term, parts }) => [term, ...parts.map((part) => part.term)]);
  const all = [...new Set([...terms, ...excluded])];
  const [rows, stored, endings, vocabulary] = await Promise.all([
    readPostings(db, organization, all),
    open ? complete(db, organization, open) : [],
    readEndings(db, organization, words),
    besides,
  ]);
  const completions = new Set(
    open ? [...stored, ...completionsIn(vocabulary, open)].map(({ term }) => term) : [],
  );
  const variants = [...new Set([...endings, ...vocabulary.words.map(({ term }) => term)])];
  const known = blocksByTerm([...rows, ...vocabulary.postings(all)]);
  const isThere = ({ term }: { term: string }) => known.has(term);
  // An identifier that nothing has is looked for by its parts.
  const asked = words.flatMap((word) =>
    word.parts.length === 0 || isThere(word) || (word.isOpen && completions.size > 0) ? [word] : word.parts,
  );
  const spellings = new Map<QueryWord, Spelling[]>();
  await Promise.all(
    asked.map(async (word) => {
      const frequency = known.get(word.term)?.frequency ?? 0;
      const others: Spelling[] = [];
      if (word === open && frequency < COMMON)
        for (const term of completions)
          if (term !== word.term) others.push({ term, weight: PREFIX_WEIGHT });
      if (others.length === 0 && mayBeMisspelt(word, frequency))
        for (const { term } of await correct(db, organization, word, frequency, vocabulary))
          others.push({ term, weight: frequency === 0 ? ONLY_TYPO_WEIGHT : TYPO_WEIGHT });
      for (const term of variants)
        if (isVariant(word, term) && !others.some((other) => other.term === term))
          others.push({ term, weight: VARIANT_WEIGHT });
      spellings.set(word, others);
    }),
  );
  const further = new Set([...spellings.values()].flat().map(({ term }) => term));
  const missing = [...further].filter((term) => !known.has(term));
  if (missing.length > 0) {
    const rows = await readPostings(db, organization, missing);
    for (const [term, found] of blocksByTerm([...rows, ...vocabulary.postings(missing)]))
      known.set(term, found);
  }
  const sought = asked.flatMap((word): SoughtWord[] => {
    const all = [{ term: word.term, weight: 1 }, ...(spellings.get(word) ?? [])];
    const alternatives = all.flatMap(({ term, weight }): Alternative[] => {
      const found = known.get(term);
      return found ? [{ term, weight, ...found }] : [];
    });
    return alternatives.length > 0 || word.isRequired ? [{ alternatives, isRequired: word.isRequired }] : [];
  });
  return { sought, excluded: excluded.flatMap((term) => known.get(term)?.blocks ?? []) };
}

type Found = Pick<Alternative, 'frequency' | 'blocks'>;

function blocksByTerm(rows: readonly ReturnType<Vocabulary['postings']>[number][]): Map<string, Found> {
  const found = new Map<string, { frequency: number; blocks: Uint8Array[] }>();
  for (const { term, frequency, block } of rows) {
    const known = found.get(term);
    if (known) {
      known.frequency += frequency;
      known.blocks.push(block);
    } else found.set(term, { frequency, blocks: [block] });
  }
  return found;
}

async function complete(
  db: Db,
  organization: string,
  { word, isLoose }: QueryWord,
): Promise<{ term: string }[]> {
  if (!isLoose) return [...word].length === 1 ? readPairs(db, organization, word, word + LAST) : [];
  if (word.length < MIN_PREFIX) return [];
  return readCompletions(db, organization, word, word + LAST);
}

/** What begins like a word, outside of the index. */
const completionsIn = ({ words }: Vocabulary, { word, isLoose }: QueryWord): { term: string }[] =>
  isLoose && word.length >= MIN_PREFIX
    ? words.filter((one) => one.word.startsWith(word)).slice(0, MAX_COMPLETIONS)
    : [];

/** Where stems begin that are like that of a word but for their endings. */
const startOf = ({ term }: QueryWord): string => term.slice(0, Math.max(MIN_STEM, term.length - 1));

const hasVariants = ({ isLoose, term, word }: QueryWord): boolean =>
  isLoose && term.length >= MIN_STEM && !/\d/.test(term) && word.startsWith(term.slice(0, MIN_STEM));

const isVariant = (word: QueryWord, term: string): boolean =>
  hasVariants(word) &&
  term !== word.term &&
  term.length >= MIN_STEM &&
  Math.abs(term.length - word.term.length) <= MAX_ENDING &&
  (term.startsWith(word.term) || word.term.startsWith(term));

/** The terms among which the variants of some words are. */
async function readEndings(db: Db, organization: string, words: readonly QueryWord[]): Promise<string[]> {
  const starts = [...new Set(words.filter(hasVariants).map(startOf))];
  if (starts.length === 0) return [];
  const ends = starts.map((start) => start + LAST);
  return (await readVariants(db, organization, starts, ends)).map(({ term }) => term);
}

const mayBeMisspelt = ({ isLoose, word }: QueryWord, frequency: number): boolean =>
  isLoose && word.length >= MIN_LENGTH && frequency <= MAX_OCCURRENCES && !/\d/.test(word);

/** Words that differ by an edit and are much commoner: what is rare may be right as it is. */
async function correct(
  db: Db,
  organization: string,
  { word, term }: QueryWord,
  frequency: number,
  { words }: Vocabulary,
): Promise<{ term: string }[]> {
  const { start, end, swapped, length } = halvesOf(word);
  const lengths = [length - 1, length, length + 1].map(String);
  const read = await Promise.all([
    readBeginning(db, organization, start, start + LAST, lengths),
    readEnding(db, organization, end, end + LAST, lengths),
    readWord(db, organization, swapped),
  ]);
  const found = new Map<string, { term: string; frequency: number }>();
  for (const row of [...read.flat(), ...words])
    if (row.term !== term && isOneEditApart(row.word, word) && row.frequency >= COMMONER * frequency)
      found.set(row.term, row);
  return [...found.values()].sort((one, other) => other.frequency - one.frequency).slice(0, MAX_CORRECTIONS);
}
