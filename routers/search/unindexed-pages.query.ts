/** Indexes in memory what is not in the index: what a change request changes, or what was saved a moment ago. */

import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import {
  type IndexablePage,
  type InvertedDocument,
  type InvertedIndex,
  parseIndexedText,
} from '../engine/search/inverted.ts';
import { shiftPostings } from '../engine/search/postings.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { AdditionalDocuments, Vocabulary } from './vocabulary.ts';

/** Maximum number of pages that are indexed for one search; further ones are not found. */
export const MAX_UNINDEXED_PAGES = 200;

/** Approximate size of the cache, in bytes: a reader who types a query searches the same pages many times. */
const CACHE_BYTES = 16 * 1024 * 1024;

type Terms = ReadonlyMap<string, InvertedIndex['postings'][number]>;

/** By the keys of its pages, which are hashes of everything that is indexed. */
const cache = new LRUCache<string, { index: InvertedIndex; terms: Terms }>({ maxSize: CACHE_BYTES });

/** A document of a page that is not in the index, with the number that it has in this search. */
export type NumberedDocument = InvertedDocument & { number: number };

/** Makes documents of pages that are not in the index. */
export type IndexPages = (pages: readonly IndexablePage[]) => Promise<NumberedDocument[]>;

interface Context {
  db: Db;
  engine: Engine;
}

/** Collects the pages of one search that are not in the index. Their documents are numbered after `lastDocument`. */
export class UnindexedPages implements AdditionalDocuments {
  readonly #context: Context;
  readonly #lastDocument: number;
  readonly #parts: { index: InvertedIndex; terms: Terms; shift: number }[] = [];
  #pages = 0;
  documents = 0;

  constructor(context: Context, lastDocument: number) {
    this.#context = context;
    this.#lastDocument = lastDocument;
  }

  async add(pages: readonly IndexablePage[], language: string | null): Promise<NumberedDocument[]> {
    const added = pages.slice(0, MAX_UNINDEXED_PAGES - this.#pages);
    if (added.length === 0) return [];
    this.#pages += added.length;
    const { index, terms } = await invert(this.#context, added, language);
    const shift = this.#lastDocument + this.documents;
    this.#parts.push({ index, terms, shift });
    this.documents += index.documents.length;
    return index.documents.map((document, at) => ({ ...document, number: shift + at + 1 }));
  }

  postings(terms: readonly string[]): ReturnType<Vocabulary['postings']> {
    return this.#parts.flatMap(({ terms: known, shift }) =>
      terms.flatMap((term) => {
        const posting = known.get(term);
        if (!posting) return [];
        const { frequency, block } = posting;
        return [{ term, frequency, list: { kind: 'encoded', blocks: [shiftPostings(block, shift)] } }];
      }),
    );
  }

  get words(): Vocabulary['words'] {
    return this.#parts.flatMap(({ index }) => index.words);
  }

  textOf(document: number) {
    for (const { index, shift } of this.#parts) {
      const found = index.documents[document - shift - 1];
      if (found) return parseIndexedText(found.text);
    }
    return undefined;
  }
}

async function invert({ db, engine }: Context, pages: readonly IndexablePage[], language: string | null) {
  const key = pages.map((page) => page.key).join(' ');
  const known = cache.get(key);
  if (known) return known;
  const index = await engine.run('invert', { pages, language }, objectReader(db));
  const inverted = { index, terms: new Map(index.postings.map((posting) => [posting.term, posting])) };
  cache.set(key, inverted, { size: bytesOf(index) });
  return inverted;
}

const bytesOf = ({ documents, postings, words }: InvertedIndex): number =>
  1000 +
  documents.reduce((sum, { text }) => sum + text.length * 2 + 300, 0) +
  postings.reduce((sum, { block }) => sum + block.length + 250, 0) +
  words.length * 200;
