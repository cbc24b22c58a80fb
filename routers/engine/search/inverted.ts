/** The part of a search index that some pages make. */

import { hash } from 'node:crypto';
import { canonicalJson } from '../store/canonical.ts';
import { getDocuments } from '../store/documents.ts';
import type { ObjectReader } from '../store/objects.ts';
import type { PageRecord, ReusableContentRecord } from '../store/records.ts';
import { termsOf } from './impacts.ts';
import { loadAnalyzer } from './languages.ts';
import { encodePostings, type Posting } from './postings.ts';
import { partsOf, type Section } from './sections.ts';

/** Changes with what an index holds of the same content, so that all content is indexed again. */
const FORMAT = 3;

/** How the pages of a space are read: in its language, by this version of the code, and for an engine if one has their terms. */
export const readingOf = (language: string | null, engine?: string): string =>
  // guard: search-engine-index-key
  [language ?? '', FORMAT, ...(engine === undefined ? [] : [engine])].join('.');

/** A page, or a reusable content, which is found by the pages that include it. */
export type SearchedRecord = PageRecord | ReusableContentRecord;

/** What of such a record is searched. */
export interface SearchedPage {
  /** Hash of the rest, and of how it is read. */
  key: string;
  title: string;
  description: string;
  slug: string;
  /** Hash of the document object. */
  document: string | undefined;
}

/** A page as it is searched; undefined for one that is not: it has no text of its own, or its author excludes it. */
export function searchedPage(record: SearchedRecord, reading: string): SearchedPage | undefined {
  // Of reusable contents, readers are shown the text alone.
  const isPage = 'type' in record;
  // guard: search-no-index
  if (isPage && (record.type !== 'document' || record.noIndex)) return undefined;
  const { title, slug, description = '' } = isPage ? record : { title: '', slug: '' };
  const { document } = record;
  const parts = [reading, title, slug, description, document ?? null];
  return { key: hash('sha256', canonicalJson(parts)), title, slug, description, document };
}

/** What is shown of a page under the same conditions. */
export interface InvertedDocument {
  key: string;
  /** 0 for what everyone is shown. */
  part: number;
  conditions: string[];
  /** The ids of the reusable contents that it includes. */
  includes: string[];
  /** See {@link storedSections}. */
  sections: string;
}

export interface Inverted {
  documents: InvertedDocument[];
  /** The postings of each term, by the index of the document, counted from 1. */
  postings: { term: string; frequency: number; block: Uint8Array }[];
  /** In how many documents each word is, and the term that the index has it under. */
  words: { word: string; term: string; frequency: number }[];
}

/** The text of a document of the index as it is stored: what stands above it, and its sections. */
const storedSections = (head: Section, sections: readonly Section[]): string =>
  JSON.stringify([head, ...sections]);

/** Reads what {@link storedSections} wrote. */
export function readStoredSections(json: string): { head: Section; sections: Section[] } {
  const [head, ...sections] = JSON.parse(json) as [Section, ...Section[]];
  return { head, sections };
}

/** Words longer than this are not offered for what begins like them, or differs by an edit. */
const MAX_WORD = 40;

/** Inverts some pages, each given once. */
export async function invertPages(
  store: ObjectReader,
  { pages, language }: { pages: readonly SearchedPage[]; language: string | null },
): Promise<Inverted> {
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
    const head = { title, text: description };
    for (const [part, { conditions, sections, includes }] of parts.entries()) {
      documents.push({
        key,
        part,
        conditions,
        includes: [...new Set(includes)],
        sections: storedSections(head, sections),
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
