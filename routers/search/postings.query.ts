import { setImmediate } from 'node:timers/promises';
import type { Db } from '../base/db.ts';
import type { SearchEngine } from '../base/search-ports.ts';
import { bytesOf, postingListOf } from '../engine/search/posting-lists.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import { cachedRows, rowCache } from './cached-rows.ts';
import type { Postings } from './vocabulary.ts';

/** Approximate bytes of postings in memory. */
const POSTING_BYTES = 32 * 1024 * 1024;

/** How large an index is, and its state. */
export interface SearchIndex {
  documents: number;
  lastDocument: number;
  /** Rises when something is removed. */
  generation: number;
  /** Different after each change of the index. */
  version: string;
}

const readIndexRow = statement((db, organization: string) =>
  db
    .selectFrom('search_index')
    .select(['documents', 'last_document as lastDocument', 'last_segment as lastSegment', 'generation'])
    .where('organization_id', '=', organization),
);

const NO_INDEX = { documents: 0, lastDocument: 0, lastSegment: 0, generation: 0 };

/** The index of an organization; an empty one if there is none yet. */
export async function readIndex(db: Db, organization: string): Promise<SearchIndex> {
  const [index] = await readIndexRow(db, organization);
  const { documents, lastDocument, lastSegment, generation } = index ?? NO_INDEX;
  const version = [organization, generation, lastSegment, lastDocument, documents].join(' ');
  return { documents, lastDocument, generation, version };
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

/** Reads what an index has of some terms; may be called several times in a search. */
export type ReadTerms = (terms: readonly string[]) => Promise<Postings[]>;

/** The postings that were read last. */
const cache = rowCache<Postings>(POSTING_BYTES, ({ list }) => 150 + (list ? bytesOf(list) : 0));

/** Postings made ready to be scored between two pauses. */
const STRIDE = 100_000;

/** The terms of an index in the database. */
export const storedTerms =
  (db: Db, organization: string, index: Promise<SearchIndex>): ReadTerms =>
  async (terms) => {
    // Read before the postings, so that these are never older than what they are cached under.
    const { version, lastDocument } = await index;
    return cachedRows(
      cache,
      version,
      terms,
      ({ term }) => term,
      async (missing) => postingsIn(await readPostings(db, organization, missing), lastDocument),
    );
  };

/** The postings of each term, from those of each segment. */
async function postingsIn(
  rows: readonly { term: string; frequency: number; block: Uint8Array }[],
  lastDocument: number,
): Promise<Postings[]> {
  const postings: Postings[] = [];
  let read = 0;
  for (const [term, segments] of Map.groupBy(rows, ({ term }) => term)) {
    const frequency = segments.reduce((sum, segment) => sum + segment.frequency, 0);
    const blocks = segments.map(({ block }) => block);
    postings.push({ term, frequency, list: postingListOf(blocks, frequency, lastDocument) });
    read += frequency;
    if (read < STRIDE) continue;
    await setImmediate();
    read = 0;
  }
  return postings;
}

/** The same of one in an engine, which has the documents of each. */
export const engineTerms =
  (engine: SearchEngine, organization: string, index: Promise<SearchIndex>): ReadTerms =>
  async (terms) => {
    const { documents } = await index;
    // Before anything is indexed, the engine has nothing that could be asked.
    if (documents === 0 || terms.length === 0) return [];
    const frequencies = await engine.frequencies(organization, terms);
    return [...frequencies].map(([term, frequency]) => ({ term, frequency }));
  };
