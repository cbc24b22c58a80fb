import type { Db } from '../base/db.ts';
import type { SearchEngine } from '../base/search-ports.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';
import type { Postings } from './vocabulary.ts';

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

/** Reads what an index has of some terms; may be called several times in a search. */
export type ReadTerms = (terms: readonly string[]) => Promise<Postings[]>;

/** The terms of an index in the database. */
export const storedTerms =
  (db: Db, organization: string): ReadTerms =>
  (terms) =>
    readPostings(db, organization, [...terms]);

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
