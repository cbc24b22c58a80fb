import { setImmediate } from 'node:timers/promises';
import { type PostingList, scanSteps } from '../engine/search/posting-lists.ts';
import type { Alternative } from '../engine/search/ranking.ts';
import type { TermReader } from './postings.query.ts';
import { type CountedTerm, MAX_CANDIDATES, mostFrequent } from './spelling.query.ts';
import type { VisibleDocuments } from './visible-documents.ts';
import type { Postings, Vocabulary } from './vocabulary.ts';

/** How many steps of counting are made between two pauses. */
const STRIDE = 100_000;

type TermPostings = Pick<Alternative, 'frequency' | 'lists'>;

/** Where the postings of terms are read, and which of their documents count. */
export interface TermSources {
  readTerms: TermReader;
  vocabulary: Vocabulary;
  visible: VisibleDocuments;
  /** Whether these are all documents of the organization. */
  areAllVisible: boolean;
}

/** Terms to choose from. */
export interface Choice {
  candidates: readonly CountedTerm[];
  /** Maximum number of terms. */
  most: number;
  /** How often a term must occur; at least once by default. */
  least?: number;
}

/**
 * The terms that occur in documents that the reader may find. What occurs elsewhere must change nothing: otherwise, searches for
 * invented words would reveal, by which pages they find and in which order, which words are in pages that the reader may not see.
 */
export class VisibleTerms {
  readonly #sources: TermSources;
  readonly #byTerm = new Map<string, TermPostings>();
  /** The terms that were read, whether or not they occur. */
  readonly #read = new Set<string>();

  constructor(sources: TermSources) {
    this.#sources = sources;
  }

  /** A term that was read; undefined if it does not occur. */
  get(term: string): TermPostings | undefined {
    return this.#byTerm.get(term);
  }

  /** The number of documents with a term that was read. */
  frequencyOf(term: string): number {
    return this.#byTerm.get(term)?.frequency ?? 0;
  }

  /** Reads those of some terms that were not read yet. */
  async read(terms: readonly string[]): Promise<void> {
    const missing = [...new Set(terms)].filter((term) => !this.#read.has(term));
    if (missing.length > 0) await this.add(missing, await this.#sources.readTerms(missing));
  }

  /** Adds terms with the postings that were read for them. */
  async add(terms: readonly string[], rows: readonly Postings[]): Promise<void> {
    for (const term of terms) this.#read.add(term);
    const lists = new Map<string, { frequency: number; lists: PostingList[] }>();
    const { vocabulary, visible, areAllVisible } = this.#sources;
    let steps = 0;
    for (const { term, frequency, list } of [...rows, ...vocabulary.postings(terms)]) {
      const known = lists.get(term) ?? { frequency: 0, lists: [] };
      lists.set(term, known);
      if (list) known.lists.push(list);
      // guard: search-visible-frequencies
      if (!list || areAllVisible) known.frequency += frequency;
      else {
        if (!visible.isCounted(list)) steps += scanSteps(list);
        known.frequency += visible.frequencyIn(list);
      }
      if (steps < STRIDE) continue;
      await setImmediate();
      steps = 0;
    }
    for (const [term, postings] of lists) if (postings.frequency > 0) this.#byTerm.set(term, postings);
  }

  /** Reads the terms of some choices at once, and returns the terms chosen for each, the most frequent first. */
  async choose(choices: readonly Choice[]): Promise<string[][]> {
    const { areAllVisible } = this.#sources;
    const considered = choices.map(({ candidates, most }) => [
      ...new Set(mostFrequent(candidates, areAllVisible ? most : MAX_CANDIDATES).map(({ term }) => term)),
    ]);
    await this.read(considered.flat());
    return choices.map(({ most, least = 1 }, index) =>
      (considered[index] as string[])
        .filter((term) => this.frequencyOf(term) >= least)
        .sort((one, other) => this.frequencyOf(other) - this.frequencyOf(one))
        .slice(0, most),
    );
  }
}
