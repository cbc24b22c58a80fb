import type { PostingList } from '../engine/search/posting-lists.ts';
import type { QueryWord } from '../engine/search/query.ts';
import type { Alternative, ExpandedWord } from '../engine/search/ranking.ts';
import { MIN_CORRECTION_RATIO } from '../engine/search/spelling.ts';
import type { TermReader } from './postings.query.ts';
import {
  type CountedTerm,
  completionsIn,
  findNeighbours,
  findRelated,
  type IndexWords,
  isVariantOf,
  mayBeMisspelt,
} from './spelling.query.ts';
import { type Choice, type TermSources, VisibleTerms } from './visible-terms.query.ts';

/** The weights of completions and corrections of a word; higher if the word itself occurs nowhere. */
const PREFIX_WEIGHT = 0.5;
const ONLY_PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.7;
const ONLY_TYPO_WEIGHT = 0.9;
/** The weight of a variant, whose stem has a different ending: "migrer" is stemmed to "migr", but "migration" to "migrat". */
const VARIANT_WEIGHT = 0.6;
/**
 * How frequent a variant is at least, compared to the word: "number64" is no variant of "number", which is a thousand times more
 * frequent. Most of what begins like a common word is of this kind, and would also make the word seem as telling as the rarest of them.
 */
const MIN_VARIANT_RATIO = 1 / 100;

/** A word that occurs in at least this many documents is not completed. */
const COMMON_FREQUENCY = 20;

/** Maximum number of completions of a prefix, and of corrections and variants of a word. */
const MAX_COMPLETIONS = 30;
const MAX_CORRECTIONS = 3;
const MAX_VARIANTS = 40;

/** Where words and terms are looked up, and which of their documents count. */
interface ExpansionSources {
  index: IndexWords;
  readTerms: TermReader;
  content: Promise<Omit<TermSources, 'readTerms'>>;
}

/** Expands the words of a query and reads their postings, in one to four round trips to the database. */
export async function expandWords(
  { index, readTerms, content }: ExpansionSources,
  words: readonly QueryWord[],
  excluded: readonly string[],
): Promise<{ expanded: ExpandedWord[]; excluded: PostingList[] }> {
  const prefix = words.find(({ isPrefix }) => isPrefix);
  const own = words.flatMap(({ term, parts }) => [term, ...parts.map((part) => part.term)]);
  const all = [...new Set([...own, ...excluded])];
  const [rows, beginnings, { vocabulary, visible, areAllVisible }] = await Promise.all([
    readTerms(all),
    findRelated(index, words, prefix),
    content,
  ]);
  const terms = new VisibleTerms({ readTerms, vocabulary, visible, areAllVisible });
  await terms.add(all, rows);
  const frequencyOf = ({ term }: QueryWord): number => terms.frequencyOf(term);
  const possible =
    prefix && frequencyOf(prefix) < COMMON_FREQUENCY
      ? [beginnings.completions, completionsIn(vocabulary, prefix)]
      : [];
  const chosen = await terms.choose(possible.map((candidates) => ({ candidates, most: MAX_COMPLETIONS })));
  const completions = new Set(chosen.flat());
  // An identifier that occurs nowhere is replaced with its parts.
  const resolved = words.flatMap((word) =>
    word.parts.length === 0 || frequencyOf(word) > 0 || (word.isPrefix && completions.size > 0)
      ? [word]
      : word.parts,
  );
  const completionsOf = (word: QueryWord): string[] =>
    word === prefix ? [...completions].filter((term) => term !== word.term) : [];
  const misspelt = resolved.filter(
    (word) => completionsOf(word).length === 0 && mayBeMisspelt(word, frequencyOf(word)),
  );
  const neighbours = await findNeighbours(index, misspelt, vocabulary);
  const related = [...beginnings.variants, ...vocabulary.words];
  const others = await terms.choose(
    resolved.flatMap((word) => [
      correctionOf(neighbours.get(word) ?? [], frequencyOf(word)),
      variantsOf(word, related, frequencyOf(word)),
    ]),
  );
  const expanded = resolved.flatMap((word, index): ExpandedWord[] => {
    const occurs = frequencyOf(word) > 0;
    const [corrections = [], variants = []] = others.slice(2 * index);
    const weights = new Map<string, number>([[word.term, 1]]);
    const add = (spellings: readonly string[], weight: number) => {
      for (const term of spellings) if (!weights.has(term)) weights.set(term, weight);
    };
    add(completionsOf(word), occurs ? PREFIX_WEIGHT : ONLY_PREFIX_WEIGHT);
    add(corrections, occurs ? TYPO_WEIGHT : ONLY_TYPO_WEIGHT);
    add(variants, VARIANT_WEIGHT);
    const alternatives = [...weights].flatMap(([term, weight]): Alternative[] => {
      const postings = terms.get(term);
      return postings ? [{ term, weight, ...postings }] : [];
    });
    return alternatives.length > 0 || word.isRequired ? [{ alternatives, isRequired: word.isRequired }] : [];
  });
  return { expanded, excluded: excluded.flatMap((term) => terms.get(term)?.lists ?? []) };
}

function variantsOf(word: QueryWord, related: readonly CountedTerm[], frequency: number): Choice {
  const least = Math.max(1, MIN_VARIANT_RATIO * frequency);
  const candidates = related.filter((one) => one.frequency >= least && isVariantOf(word, one.term));
  return { candidates, most: MAX_VARIANTS, least };
}

/** The neighbours that correct a word are much more frequent than it is: a rare word may well be correct. */
function correctionOf(neighbours: readonly CountedTerm[], frequency: number): Choice {
  const least = Math.max(1, MIN_CORRECTION_RATIO * frequency);
  const candidates = neighbours.filter((one) => one.frequency >= least);
  return { candidates, most: MAX_CORRECTIONS, least };
}
