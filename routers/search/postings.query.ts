import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
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

/** What a word counts that goes on, or is spelled differently. */
const PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.7;

/** Words that a beginning stands for, and that a misspelt word may be. */
const MAX_COMPLETIONS = 30;
const MAX_CORRECTIONS = 3;
/** Shorter beginnings stand for too much. */
const MIN_PREFIX = 2;
/** A word that so many documents have is meant as it stands. */
const COMMON = 20;
/** Words looked through for those that differ by an edit. */
const MAX_NEIGHBOURS = 4000;

/** Sorts after everything that begins alike. */
const LAST = '\u{10ffff}';

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
): Promise<{ sought: SoughtWord[]; excluded: Uint8Array[] }> {
  const open = words.find(({ isOpen }) => isOpen);
  const terms = words.flatMap(({ term, parts }) => [term, ...parts.map((part) => part.term)]);
  const [rows, completions] = await Promise.all([
    readPostings(db, organization, [...new Set([...terms, ...excluded])]),
    open ? complete(db, organization, open) : [],
  ]);
  const known = blocksByTerm(rows);
  const isThere = ({ term }: { term: string }) => known.has(term);
  // An identifier that nothing has is looked for by its parts.
  const asked = words.flatMap((word) =>
    word.parts.length === 0 || isThere(word) || (word.isOpen && completions.length > 0) ? [word] : word.parts,
  );
  const spellings = new Map<QueryWord, Spelling[]>();
  await Promise.all(
    asked.map(async (word) => {
      const frequency = known.get(word.term)?.frequency ?? 0;
      const others: Spelling[] = [];
      if (word === open && frequency < COMMON)
        for (const { term } of completions)
          if (term !== word.term) others.push({ term, weight: PREFIX_WEIGHT });
      if (others.length === 0 && mayBeMisspelt(word, frequency))
        for (const { term } of await correct(db, organization, word, frequency))
          others.push({ term, weight: TYPO_WEIGHT });
      spellings.set(word, others);
    }),
  );
  const further = new Set([...spellings.values()].flat().map(({ term }) => term));
  const missing = [...further].filter((term) => !known.has(term));
  if (missing.length > 0)
    for (const [term, found] of blocksByTerm(await readPostings(db, organization, missing)))
      known.set(term, found);
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

function blocksByTerm(rows: Awaited<ReturnType<typeof readPostings>>): Map<string, Found> {
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

const mayBeMisspelt = ({ isLoose, word }: QueryWord, frequency: number): boolean =>
  isLoose && word.length >= MIN_LENGTH && frequency <= MAX_OCCURRENCES && !/\d/.test(word);

/** Words that differ by an edit and are much commoner: what is rare may be right as it is. */
async function correct(
  db: Db,
  organization: string,
  { word, term }: QueryWord,
  frequency: number,
): Promise<{ term: string }[]> {
  const { start, end, swapped, length } = halvesOf(word);
  const lengths = [length - 1, length, length + 1].map(String);
  const read = await Promise.all([
    readBeginning(db, organization, start, start + LAST, lengths),
    readEnding(db, organization, end, end + LAST, lengths),
    readWord(db, organization, swapped),
  ]);
  const found = new Map<string, { term: string; frequency: number }>();
  for (const row of read.flat())
    if (row.term !== term && isOneEditApart(row.word, word) && row.frequency >= COMMONER * frequency)
      found.set(row.term, row);
  return [...found.values()].sort((one, other) => other.frequency - one.frequency).slice(0, MAX_CORRECTIONS);
}
