/** Segments of a search index: what is known of some documents, sorted and packed into blocks. */

import type { ObjectReader } from '../store/objects.ts';
import { ByteReader, bufferOf, EntryReader, packEntries, varint } from './entry-blocks.ts';
import { type IndexablePage, type InvertedDocument, type InvertedIndex, invertPages } from './inverted.ts';
import { mergePostings, shiftPostings } from './postings.ts';

/**
 * What the keys in a block are:
 * - `term`: terms, with their postings
 * - `word`: words, with their terms and frequencies, to complete and correct words
 * - `reversed`: the same words backwards, to correct their beginnings
 */
export type BlockKind = 'term' | 'word' | 'reversed';

export interface SegmentBlock {
  kind: BlockKind;
  /** The first key. */
  key: string;
  /** The number of documents with the term, if the block contains nothing but the postings of one term. */
  frequency: number | null;
  block: Uint8Array;
}

/** A new segment. */
export interface Segment {
  documents: InvertedDocument[];
  /** The postings in it number documents by their index in the segment, counted from 1. */
  blocks: SegmentBlock[];
}

/** A term that a word is indexed as: words in several languages may have several. */
export interface TermOfWord {
  term: string;
  /** The number of documents that contain the word as this term. */
  frequency: number;
}

/** Builds a segment of some distinct pages. */
export async function buildSegment(
  store: ObjectReader,
  given: { pages: readonly IndexablePage[]; language: string | null },
): Promise<Segment> {
  const { documents, postings, words } = await invertPages(store, given);
  return {
    documents,
    blocks: [...packTerms(postings), ...packWords('word', words), ...packWords('reversed', words)],
  };
}

/** Packs the postings of distinct terms. */
export function packTerms(postings: InvertedIndex['postings']): SegmentBlock[] {
  const entries = postings.map(({ term, frequency, block }) => ({
    key: term,
    value: Buffer.concat([varint(frequency), block]),
  }));
  return packEntries(entries).map(({ key, entries, block }) => ({
    kind: 'term',
    key,
    frequency: entries === 1 ? readTerm(firstValue(block)).frequency : null,
    block,
  }));
}

/** Packs words and their terms. */
export function packWords(kind: 'word' | 'reversed', words: InvertedIndex['words']): SegmentBlock[] {
  const entries = [...Map.groupBy(words, ({ word }) => word)].map(([word, terms]) => ({
    key: kind === 'word' ? word : reverse(word),
    value: encodeTermsOfWord(word, terms),
  }));
  return packEntries(entries).map(({ key, block }) => ({ kind, key, frequency: null, block }));
}

/** Reverses a word by its code points. */
export const reverse = (word: string): string => [...word].reverse().join('');

/** Reads the value of a term: the number of documents with it, and its postings. */
export function readTerm(value: Uint8Array): { frequency: number; block: Uint8Array } {
  const reader = new ByteReader(bufferOf(value));
  const frequency = reader.varint();
  return { frequency, block: value.subarray(reader.position) };
}

/** Of each term, stores how many code units at its start it shares with the word, and the rest. */
function encodeTermsOfWord(word: string, terms: readonly TermOfWord[]): Uint8Array {
  return Buffer.concat(
    terms.flatMap(({ term, frequency }) => {
      let shared = 0;
      while (shared < term.length && term[shared] === word[shared]) shared++;
      const rest = Buffer.from(term.slice(shared));
      return [varint(frequency), varint(shared), varint(rest.length), rest];
    }),
  );
}

/** Reads the value of a word. */
export function readTermsOfWord(word: string, value: Uint8Array): TermOfWord[] {
  const terms: TermOfWord[] = [];
  eachTermOfWord(
    () => word,
    new ByteReader(bufferOf(value)),
    (term, frequency) => terms.push({ term, frequency }),
  );
  return terms;
}

/**
 * Calls `visit` for each term in the value of a word.
 * @param wordOf returns the word; not called if no term can be short enough
 * @param maxLength longer terms are left out, in UTF-16 code units
 */
export function eachTermOfWord(
  wordOf: () => string,
  value: ByteReader,
  visit: (term: string, frequency: number) => void,
  maxLength = Number.POSITIVE_INFINITY,
): void {
  while (!value.isAtEnd) {
    const frequency = value.varint();
    const shared = value.varint();
    const rest = value.varint();
    if (shared > maxLength) {
      value.position += rest;
      continue;
    }
    const term = wordOf().slice(0, shared) + value.text(rest);
    if (term.length <= maxLength) visit(term, frequency);
  }
}

/** Calls `visit` for each term of some blocks. */
export function eachTerm(
  blocks: readonly SegmentBlock[],
  visit: (term: string, postings: Uint8Array) => void,
): void {
  for (const { kind, block } of blocks) {
    const reader = new EntryReader(block);
    while (kind === 'term' && reader.next()) visit(reader.key, readTerm(reader.value).block);
  }
}

/** The value of a key in one of the segments that are merged. */
export interface MergedValue {
  value: Uint8Array;
  /** How much higher the numbers of documents are in the merged segment. */
  shift: number;
}

/**
 * Merges the values of a term in several segments, given in their order.
 * @param isKept whether a document, by its number in the merged segment, still exists
 */
export function mergeTerm(
  values: readonly MergedValue[],
  isKept: (document: number) => boolean,
): { frequency: number; block: Uint8Array } {
  return mergePostings(
    values.map(({ value, shift }) => shiftPostings(readTerm(value).block, shift)),
    isKept,
  );
}

/** Merges the values of a word in several segments. */
export function mergeWord(
  word: string,
  values: readonly Pick<MergedValue, 'value'>[],
): { word: string; term: string; frequency: number }[] {
  const frequencies = new Map<string, number>();
  for (const { value } of values)
    for (const { term, frequency } of readTermsOfWord(word, value))
      frequencies.set(term, (frequencies.get(term) ?? 0) + frequency);
  return [...frequencies].map(([term, frequency]) => ({ word, term, frequency }));
}

function firstValue(block: Uint8Array): Uint8Array {
  const reader = new EntryReader(block);
  reader.next();
  return reader.value;
}
