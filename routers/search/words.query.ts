import type { PostingList } from '../engine/search/posting-lists.ts';
import type { QueryWord } from '../engine/search/query.ts';
import type { Alternative, ExpandedWord } from '../engine/search/ranking.ts';
import type { ReadTerms } from './postings.query.ts';
import {
  completionsIn,
  findCompletions,
  findCorrections,
  type IndexWords,
  isVariant,
  mayBeMisspelt,
  readOtherEndings,
} from './spelling.query.ts';
import type { Postings, Vocabulary } from './vocabulary.ts';

/** What a word counts that goes on, or is spelled differently; more where nothing has it as it is spelled. */
const PREFIX_WEIGHT = 0.5;
const ONLY_PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.7;
const ONLY_TYPO_WEIGHT = 0.9;
/** What a word counts whose stem has another ending: stemming leaves "migr" of "migrer", and "migrat" of "migration". */
const VARIANT_WEIGHT = 0.6;

/** A word that so many documents have is meant as it stands. */
const COMMON = 20;

interface Spelling {
  term: string;
  weight: number;
}

/** Where words are looked for. */
interface ExpansionSources {
  index: IndexWords;
  readTerms: ReadTerms;
  additional: Promise<Vocabulary>;
}

/** The words of a query with the documents that have them, in two round trips to the database, or three. */
export async function expandWords(
  { index, readTerms, additional }: ExpansionSources,
  words: readonly QueryWord[],
  excluded: readonly string[],
): Promise<{ expanded: ExpandedWord[]; excluded: PostingList[] }> {
  const open = words.find(({ isOpen }) => isOpen);
  const terms = words.flatMap(({ term, parts }) => [term, ...parts.map((part) => part.term)]);
  const all = [...new Set([...terms, ...excluded])];
  const [rows, stored, endings, vocabulary] = await Promise.all([
    readTerms(all),
    open ? findCompletions(index, open) : [],
    readOtherEndings(index, words),
    additional,
  ]);
  const completions = new Set(
    open ? [...stored, ...completionsIn(vocabulary, open)].map(({ term }) => term) : [],
  );
  const variants = [...new Set([...endings, ...vocabulary.words.map(({ term }) => term)])];
  const known = listsByTerm([...rows, ...vocabulary.postings(all)]);
  const isThere = ({ term }: { term: string }) => known.has(term);
  // An identifier that nothing has is looked for by its parts.
  const asked = words.flatMap((word) =>
    word.parts.length === 0 || isThere(word) || (word.isOpen && completions.size > 0) ? [word] : word.parts,
  );
  const spellings = new Map<QueryWord, Spelling[]>();
  const frequencyOf = ({ term }: QueryWord): number => known.get(term)?.frequency ?? 0;
  for (const word of asked) {
    const isCompleted = word === open && frequencyOf(word) < COMMON;
    const others = isCompleted ? [...completions].filter((term) => term !== word.term) : [];
    spellings.set(
      word,
      others.map((term) => ({
        term,
        weight: frequencyOf(word) === 0 ? ONLY_PREFIX_WEIGHT : PREFIX_WEIGHT,
      })),
    );
  }
  const misspelt = asked.filter(
    (word) => spellings.get(word)?.length === 0 && mayBeMisspelt(word, frequencyOf(word)),
  );
  const corrections = await findCorrections(index, misspelt, frequencyOf, vocabulary);
  for (const [word, others] of spellings) {
    for (const term of corrections.get(word) ?? [])
      others.push({ term, weight: frequencyOf(word) === 0 ? ONLY_TYPO_WEIGHT : TYPO_WEIGHT });
    for (const term of variants)
      if (isVariant(word, term) && !others.some((other) => other.term === term))
        others.push({ term, weight: VARIANT_WEIGHT });
  }
  const further = new Set([...spellings.values()].flat().map(({ term }) => term));
  const missing = [...further].filter((term) => !known.has(term));
  if (missing.length > 0) {
    const rows = await readTerms(missing);
    for (const [term, found] of listsByTerm([...rows, ...vocabulary.postings(missing)]))
      known.set(term, found);
  }
  const expanded = asked.flatMap((word): ExpandedWord[] => {
    const all = [{ term: word.term, weight: 1 }, ...(spellings.get(word) ?? [])];
    const alternatives = all.flatMap(({ term, weight }): Alternative[] => {
      const found = known.get(term);
      return found ? [{ term, weight, ...found }] : [];
    });
    return alternatives.length > 0 || word.isRequired ? [{ alternatives, isRequired: word.isRequired }] : [];
  });
  return { expanded, excluded: excluded.flatMap((term) => known.get(term)?.lists ?? []) };
}

type Found = Pick<Alternative, 'frequency' | 'lists'>;

function listsByTerm(rows: readonly Postings[]): Map<string, Found> {
  const found = new Map<string, { frequency: number; lists: PostingList[] }>();
  for (const { term, frequency, list } of rows) {
    const known = found.get(term) ?? { frequency: 0, lists: [] };
    found.set(term, known);
    known.frequency += frequency;
    if (list) known.lists.push(list);
  }
  return found;
}
