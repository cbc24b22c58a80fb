/** The documents of one segment, or of one outline, that have a term. */
export interface Postings {
  term: string;
  /** How many they are. */
  frequency: number;
  /** Absent if an engine outside has them. */
  block?: Uint8Array;
}

/** What is searched besides the index. */
export interface Vocabulary {
  postings(terms: readonly string[]): Postings[];
  words: readonly { word: string; term: string; frequency: number }[];
}
