/** The interface to an engine outside the database that may hold the postings of search indexes; `server/` implements it. */

import type { EngineMatch } from '../engine/search/ranking.ts';

/** A document of a search index, with the weight of each term in it (`impact`), from 1 to 255. */
export interface TermDocument {
  number: number;
  terms: readonly (readonly [term: string, impact: number])[];
}

/** A word of a query, as the terms that match it. */
export interface EngineWord {
  /** `worth` is multiplied with the term's weight in a document. */
  terms: readonly { term: string; worth: number }[];
  /** Whether documents without the word are left out. */
  isRequired: boolean;
}

export interface EngineQuery {
  words: readonly EngineWord[];
  /** Terms that must not occur. */
  excluded: readonly string[];
  /** The documents to search: 1 at the index of a document's number. Others are neither found nor counted. */
  membership: Uint8Array;
}

/**
 * Knows which documents have which terms. Which documents exist, which pages have them, and who may see these, is in the
 * database: anything else that an engine holds is never found.
 * @throws DomainError from each function: `unavailable` if the engine does not respond, or refuses
 */
export interface SearchEngine {
  /** Identifies where its documents are stored. What was indexed elsewhere is indexed again. */
  id: string;
  /** Writes documents, in place of those with the same numbers; they are found once it returns. */
  upsert(organization: string, documents: readonly TermDocument[]): Promise<void>;
  /** Removes documents by their numbers, or all of an organization. */
  remove(organization: string, documents?: readonly number[]): Promise<void>;
  /**
   * Counts the documents with each of some terms; terms without documents are left out.
   * @param membership the documents to count: 1 at the index of a document's number
   */
  frequencies(
    organization: string,
    terms: readonly string[],
    membership: Uint8Array,
  ): Promise<Map<string, number>>;
  /** Finds the documents with any of the words, or the best ones if there are very many. */
  search(organization: string, query: EngineQuery): Promise<EngineMatch[]>;
}
