import { setImmediate } from 'node:timers/promises';
import type { Db } from '../base/db.ts';
import type { SearchEngine } from '../base/search-ports.ts';
import { findValue } from '../engine/search/entry-blocks.ts';
import { bytesOf, postingListOf } from '../engine/search/posting-lists.ts';
import { shiftPostings } from '../engine/search/postings.ts';
import { readTerm } from '../engine/search/segment.ts';
import { statement } from '../sql/statement.ts';
import { readBlocksOfTerms } from './blocks.query.ts';
import { cachedRows, rowCache } from './cached-rows.ts';
import type { Postings } from './vocabulary.ts';

/**
 * Approximate size of the cache of postings, in bytes. On 100,000 pages, those of 5,000 distinct words take 90 MB; with a third of
 * that, sentences read three times as many bytes from the database, and take a third longer.
 */
const POSTING_BYTES = 96 * 1024 * 1024;

/** The size and state of an index. */
export interface SearchIndex {
  documents: number;
  lastDocument: number;
  /** Increases when something is removed. */
  generation: number;
  /** Changes with each change of the index. */
  version: string;
}

/** What is stored of the state of an index. */
export const INDEX_COLUMNS = [
  'search_index.documents',
  'search_index.last_document as lastDocument',
  'search_index.last_segment as lastSegment',
  'search_index.generation',
] as const;

type IndexRow = Record<'documents' | 'lastDocument' | 'lastSegment' | 'generation', number | null>;

const readIndexRow = statement((db, organization: string) =>
  db.selectFrom('search_index').select(INDEX_COLUMNS).where('organization_id', '=', organization),
);

/** Reads the state of an organization's index; an empty index if there is none yet. */
export const readIndex = async (db: Db, organization: string): Promise<SearchIndex> =>
  indexOfRow(organization, (await readIndexRow(db, organization))[0]);

/** Converts a row with the columns of an index, which are null if there is none yet. */
export function indexOfRow(organization: string, row: IndexRow | undefined): SearchIndex {
  const documents = row?.documents ?? 0;
  const lastDocument = row?.lastDocument ?? 0;
  const generation = row?.generation ?? 0;
  const version = [organization, generation, row?.lastSegment ?? 0, lastDocument, documents].join(' ');
  return { documents, lastDocument, generation, version };
}

/** Reads the postings of some terms; may be called several times in a search. */
export type TermReader = (terms: readonly string[]) => Promise<Postings[]>;

/** The postings that were read most recently. */
const cache = rowCache<Postings>(POSTING_BYTES, ({ list }) => 150 + (list ? bytesOf(list) : 0));

/** How many postings are prepared for scoring between two pauses. */
const STRIDE = 100_000;

/**
 * Reads the terms of an index whose postings are in the database.
 * @param index read before the postings, so that these are never older than the version they are cached under
 */
export const databaseTermReader =
  (db: Db, organization: string, { version, lastDocument }: SearchIndex): TermReader =>
  (terms) =>
    cachedRows(
      cache,
      version,
      terms,
      ({ term }) => term,
      async (missing) => combineSegments(await readPostings(db, organization, missing), lastDocument),
    );

/** Reads the postings of some terms in each segment. */
async function readPostings(db: Db, organization: string, terms: string[]): Promise<SegmentPostings[]> {
  const rows = await readBlocksOfTerms(db, organization, terms);
  return rows.flatMap(({ lookup: term, firstDocument, block }) => {
    const value = findValue(block, term);
    if (!value) return [];
    const postings = readTerm(value);
    return [{ term, frequency: postings.frequency, block: shiftPostings(postings.block, firstDocument - 1) }];
  });
}

interface SegmentPostings {
  term: string;
  frequency: number;
  block: Uint8Array;
}

/** Combines the postings of each term from those of each segment. */
async function combineSegments(rows: readonly SegmentPostings[], lastDocument: number): Promise<Postings[]> {
  const postings: Postings[] = [];
  let processed = 0;
  for (const [term, segments] of Map.groupBy(rows, ({ term }) => term)) {
    const frequency = segments.reduce((sum, segment) => sum + segment.frequency, 0);
    const blocks = segments.map(({ block }) => block);
    postings.push({ term, frequency, list: postingListOf(blocks, frequency, lastDocument) });
    processed += frequency;
    if (processed < STRIDE) continue;
    await setImmediate();
    processed = 0;
  }
  return postings;
}

/**
 * Reads the terms of an index whose postings an external search engine stores; only their frequencies are needed.
 * @param membership reads which documents to count: 1 at the index of a document's number
 */
export const engineTermReader =
  (
    engine: SearchEngine,
    organization: string,
    { index, membership }: { index: SearchIndex; membership: () => Promise<Uint8Array> },
  ): TermReader =>
  async (terms) => {
    // Before anything is indexed, the engine may not have an index yet.
    if (index.documents === 0 || terms.length === 0) return [];
    const frequencies = await engine.frequencies(organization, terms, await membership());
    return [...frequencies].map(([term, frequency]) => ({ term, frequency }));
  };
