import type { PostingList } from '../engine/search/posting-lists.ts';

/** The documents of an index, or of one outline, that have a term. */
export interface Postings {
  term: string;
  /** How many they are. */
  frequency: number;
  /** Absent if an engine outside has them. */
  list?: PostingList;
}

/** What is searched besides the index. */
export interface Vocabulary {
  postings(terms: readonly string[]): Postings[];
  words: readonly { word: string; term: string; frequency: number }[];
}
