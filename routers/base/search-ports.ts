/** The engine outside of the database that may have the postings of search indexes; `server/` implements it. */

import type { CountedDocument } from '../engine/search/ranking.ts';

/** A document of a search index by its number, with what each of its terms weighs in it, from 1 to 255. */
export interface TermDocument {
  number: number;
  terms: readonly (readonly [term: string, impact: number])[];
}

/** A word of a query, by the terms in which it may occur. */
export interface EngineWord {
  /** What a term counts, for each unit of its weight in a document. */
  terms: readonly { term: string; worth: number }[];
  /** Whether documents without it are no answer. */
  isRequired: boolean;
}

export interface EngineQuery {
  words: readonly EngineWord[];
  /** Terms that must not occur. */
  excluded: readonly string[];
  /** Which documents are searched: 1 by their numbers. Others are neither found nor counted. */
  membership: Uint8Array;
}

/**
 * Which documents have which terms. What documents there are, which pages have them and who may see these is in the database: what
 * an engine has besides is never found.
 * @throws DomainError, each of its functions: `unavailable` if the engine does not respond, or refuses
 */
export interface SearchEngine {
  /** Where its documents are. Whatever was indexed elsewhere is indexed again. */
  id: string;
  /** Writes documents, in place of those with the same numbers; they are found once it returns. */
  upsert(organization: string, documents: readonly TermDocument[]): Promise<void>;
  /** Removes documents by their numbers, or all of an organization. */
  remove(organization: string, documents?: readonly number[]): Promise<void>;
  /** How many documents have each of some terms; terms that none has are left out. */
  frequencies(organization: string, terms: readonly string[]): Promise<Map<string, number>>;
  /** The documents that have any of the words: the best of them, if they are very many. */
  search(organization: string, query: EngineQuery): Promise<CountedDocument[]>;
}
