/** Builds the inverted index of some pages, which becomes a segment of a search index. */

import { hash } from 'node:crypto';
import { canonicalJson } from '../store/canonical.ts';
import { getDocuments } from '../store/documents.ts';
import type { ObjectReader } from '../store/objects.ts';
import type { PageRecord, ReusableContentRecord } from '../store/records.ts';
import { termsOf } from './impacts.ts';
import { loadAnalyzer } from './languages.ts';
import { encodePostings, type Posting } from './postings.ts';
import { partsOf, type Section } from './sections.ts';

/** To be raised when the same content is indexed differently, so that all content is indexed again. */
const FORMAT = 7;

/** Identifies how pages are indexed: the language, the format of the index, and the engine that stores postings, if any. */
export const indexKeyOf = (language: string | null, engine?: string): string =>
  // guard: search-engine-index-key
  [language ?? '', FORMAT, ...(engine === undefined ? [] : [engine])].join('.');

/** A page, or a reusable content, which is found through the pages that include it. */
export type IndexableRecord = PageRecord | ReusableContentRecord;

/** The indexed fields of such a record. */
export interface IndexablePage {
  /** Hash of the other fields and of the index key. */
  key: string;
  title: string;
  description: string;
  slug: string;
  /** Hash of the document object. */
  document: string | undefined;
}

/** The indexed fields of a record; undefined if it has no text of its own or its author excludes it from searches. */
export function indexablePage(record: IndexableRecord, indexKey: string): IndexablePage | undefined {
  // Readers see only the text of a reusable content, not its title.
  const isPage = 'type' in record;
  // guard: search-no-index
  if (isPage && (record.type !== 'document' || record.noIndex)) return undefined;
  const { title, slug, description = '' } = isPage ? record : { title: '', slug: '' };
  const { document } = record;
  const parts = [indexKey, title, slug, description, document ?? null];
  return { key: hash('sha256', canonicalJson(parts)), title, slug, description, document };
}

/** The part of a page that is visible under the same conditions. */
export interface InvertedDocument {
  key: string;
  /** 0 for what is visible to everyone. */
  part: number;
  conditions: string[];
  /** The ids of the reusable contents it includes. */
  includes: string[];
  /** See {@link serializeText}. */
  text: string;
}

export interface InvertedIndex {
  documents: InvertedDocument[];
  /** The postings of each term. A document is numbered by its index, counted from 1. */
  postings: { term: string; frequency: number; block: Uint8Array }[];
  /** Each word with its term and the number of documents that contain it. */
  words: { word: string; term: string; frequency: number }[];
}

/** The title of a page, with its description as the text. Documents that earlier versions indexed have no slug. */
interface Head extends Section {
  slug?: string;
}

/** The text of a document. */
export interface IndexedText {
  head: Head;
  sections: Section[];
}

/** Serializes the text of a document for storage. */
const serializeText = ({ head, sections }: IndexedText): string => JSON.stringify([head, ...sections]);

/** Parses the output of {@link serializeText}. */
export function parseIndexedText(json: string): IndexedText {
  const [head, ...sections] = JSON.parse(json) as [Head, ...Section[]];
  return { head, sections };
}

/** Words longer than this are not used as completions or corrections. */
const MAX_WORD = 40;

/** Builds the inverted index of some distinct pages. */
export async function invertPages(
  store: ObjectReader,
  { pages, language }: { pages: readonly IndexablePage[]; language: string | null },
): Promise<InvertedIndex> {
  const analyzer = await loadAnalyzer(language);
  const stored = await getDocuments(
    store,
    pages.flatMap(({ document }) => document ?? []),
  );
  const documents: InvertedDocument[] = [];
  const postings = new Map<string, Posting[]>();
  const words = new Map<string, { word: string; term: string; frequency: number }>();
  for (const { key, title, description, slug, document } of pages) {
    const content = document === undefined ? undefined : stored.get(document);
    const parts = content ? partsOf(content) : [{ conditions: [], sections: [], includes: [] }];
    const head = { title, text: description, slug };
    for (const [part, { conditions, sections, includes }] of parts.entries()) {
      documents.push({
        key,
        part,
        conditions,
        includes: [...new Set(includes)],
        text: serializeText({ head, sections }),
      });
      const terms = termsOf(analyzer, { title, description, slug, sections });
      for (const [term, impact] of terms.impacts) {
        const posting = { document: documents.length, impact };
        const list = postings.get(term);
        if (list) list.push(posting);
        else postings.set(term, [posting]);
      }
      for (const [word, term] of terms.words) {
        if (word.length > MAX_WORD) continue;
        const known = words.get(word);
        if (known) known.frequency++;
        else words.set(word, { word, term, frequency: 1 });
      }
    }
  }
  return {
    documents,
    postings: [...postings].map(([term, list]) => ({
      term,
      frequency: list.length,
      block: encodePostings(list),
    })),
    words: [...words.values()],
  };
}
