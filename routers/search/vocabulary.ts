import type { PostingList } from '../engine/search/posting-lists.ts';

/** The postings of a term in an index, or in one outline. */
export interface Postings {
  term: string;
  /** The number of documents with the term. */
  frequency: number;
  /** Absent if an external search engine stores the postings. */
  list?: PostingList;
}

/** The terms and words of pages that are searched in addition to the index. */
export interface Vocabulary {
  postings(terms: readonly string[]): Postings[];
  words: readonly { word: string; term: string; frequency: number }[];
}
