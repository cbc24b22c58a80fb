import type { IndexedText } from '../engine/search/inverted.ts';
import type { PostingList } from '../engine/search/posting-lists.ts';

/** The postings of a term in an index, or in one outline. */
export interface Postings {
  term: string;
  /** The number of documents with the term: of all in the list, or of those that the reader may find if there is no list. */
  frequency: number;
  /** Absent if an external search engine stores the postings. */
  list?: PostingList;
}

/** The terms and words of pages that are searched in addition to the index. */
export interface Vocabulary {
  postings(terms: readonly string[]): Postings[];
  words: readonly { word: string; term: string; frequency: number }[];
}

/** Documents in memory that are searched in addition to those of the index, and numbered after them. */
export interface AdditionalDocuments extends Vocabulary {
  documents: number;
  /** The text of a document, for excerpts; undefined for any other document. */
  textOf(document: number): IndexedText | undefined;
}

export const joined = (one: AdditionalDocuments, other: AdditionalDocuments): AdditionalDocuments => ({
  documents: one.documents + other.documents,
  postings: (terms) => [...one.postings(terms), ...other.postings(terms)],
  words: [...one.words, ...other.words],
  textOf: (document) => one.textOf(document) ?? other.textOf(document),
});
