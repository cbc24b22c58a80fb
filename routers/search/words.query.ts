import type { PostingList } from '../engine/search/posting-lists.ts';
import type { QueryWord } from '../engine/search/query.ts';
import type { Alternative, ExpandedWord } from '../engine/search/ranking.ts';
import type { TermReader } from './postings.query.ts';
import {
  completionsIn,
  findCorrections,
  findRelated,
  type IndexWords,
  mayBeMisspelt,
  variantsOf,
} from './spelling.query.ts';
import type { Postings, Vocabulary } from './vocabulary.ts';

/** The weights of completions and corrections of a word; higher if the word itself occurs nowhere. */
const PREFIX_WEIGHT = 0.5;
const ONLY_PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.7;
const ONLY_TYPO_WEIGHT = 0.9;
/** The weight of a variant, whose stem has a different ending: "migrer" is stemmed to "migr", but "migration" to "migrat". */
const VARIANT_WEIGHT = 0.6;

/** A word that occurs in at least this many documents is not completed. */
const COMMON_FREQUENCY = 20;

interface Spelling {
  term: string;
  weight: number;
}

/** Where words and terms are looked up. */
interface ExpansionSources {
  index: IndexWords;
  readTerms: TermReader;
  additional: Promise<Vocabulary>;
}

/** Expands the words of a query and reads their postings, in two or three round trips to the database. */
export async function expandWords(
  { index, readTerms, additional }: ExpansionSources,
  words: readonly QueryWord[],
  excluded: readonly string[],
): Promise<{ expanded: ExpandedWord[]; excluded: PostingList[] }> {
  const prefix = words.find(({ isPrefix }) => isPrefix);
  const terms = words.flatMap(({ term, parts }) => [term, ...parts.map((part) => part.term)]);
  const all = [...new Set([...terms, ...excluded])];
  const [rows, related, vocabulary] = await Promise.all([
    readTerms(all),
    findRelated(index, words, prefix),
    additional,
  ]);
  const completions = new Set([...related.completions, ...(prefix ? completionsIn(vocabulary, prefix) : [])]);
  const variants = [...new Set([...related.variants, ...vocabulary.words.map(({ term }) => term)])];
  const known = postingsByTerm([...rows, ...vocabulary.postings(all)]);
  const occurs = ({ term }: { term: string }) => known.has(term);
  // An identifier that occurs nowhere is replaced with its parts.
  const resolved = words.flatMap((word) =>
    word.parts.length === 0 || occurs(word) || (word.isPrefix && completions.size > 0) ? [word] : word.parts,
  );
  const spellings = new Map<QueryWord, Spelling[]>();
  const frequencyOf = ({ term }: QueryWord): number => known.get(term)?.frequency ?? 0;
  for (const word of resolved) {
    const isCompleted = word === prefix && frequencyOf(word) < COMMON_FREQUENCY;
    const others = isCompleted ? [...completions].filter((term) => term !== word.term) : [];
    spellings.set(
      word,
      others.map((term) => ({
        term,
        weight: frequencyOf(word) === 0 ? ONLY_PREFIX_WEIGHT : PREFIX_WEIGHT,
      })),
    );
  }
  const misspelt = resolved.filter(
    (word) => spellings.get(word)?.length === 0 && mayBeMisspelt(word, frequencyOf(word)),
  );
  const corrections = await findCorrections(index, misspelt, frequencyOf, vocabulary);
  for (const [word, others] of spellings) {
    for (const term of corrections.get(word) ?? [])
      others.push({ term, weight: frequencyOf(word) === 0 ? ONLY_TYPO_WEIGHT : TYPO_WEIGHT });
    for (const term of variantsOf(word, variants))
      if (!others.some((other) => other.term === term)) others.push({ term, weight: VARIANT_WEIGHT });
  }
  const added = new Set([...spellings.values()].flat().map(({ term }) => term));
  const missing = [...added].filter((term) => !known.has(term));
  if (missing.length > 0) {
    const rows = await readTerms(missing);
    for (const [term, postings] of postingsByTerm([...rows, ...vocabulary.postings(missing)]))
      known.set(term, postings);
  }
  const expanded = resolved.flatMap((word): ExpandedWord[] => {
    const all = [{ term: word.term, weight: 1 }, ...(spellings.get(word) ?? [])];
    const alternatives = all.flatMap(({ term, weight }): Alternative[] => {
      const postings = known.get(term);
      return postings ? [{ term, weight, ...postings }] : [];
    });
    return alternatives.length > 0 || word.isRequired ? [{ alternatives, isRequired: word.isRequired }] : [];
  });
  return { expanded, excluded: excluded.flatMap((term) => known.get(term)?.lists ?? []) };
}

type TermPostings = Pick<Alternative, 'frequency' | 'lists'>;

function postingsByTerm(rows: readonly Postings[]): Map<string, TermPostings> {
  const byTerm = new Map<string, { frequency: number; lists: PostingList[] }>();
  for (const { term, frequency, list } of rows) {
    const known = byTerm.get(term) ?? { frequency: 0, lists: [] };
    byTerm.set(term, known);
    known.frequency += frequency;
    if (list) known.lists.push(list);
  }
  return byTerm;
}
