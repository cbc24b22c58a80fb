/** What is searched of the pages made from an OpenAPI document: they are few, and are kept in memory with its outline. */

import { labelOfPart } from '../document/api-part.ts';
import type { ApiOutline, ApiPage } from '../templates/api-outline.ts';
import type { Analyzer } from './analyzer.ts';
import { termsOf } from './impacts.ts';
import { encodePostings, type Posting } from './postings.ts';
import type { Section } from './sections.ts';

/** A page, the pages above it that are made from the same outline, and what excerpts are taken from. */
export interface IndexedApiPage {
  /** The topmost first, and the page itself last. */
  breadcrumbs: readonly ApiPage[];
  sections: readonly Section[];
}

export interface ApiIndex {
  pages: readonly IndexedApiPage[];
  /** The postings of each term, by the index of the page, counted from 1. */
  postings: ReadonlyMap<string, { frequency: number; block: Uint8Array }>;
  words: readonly { word: string; term: string; frequency: number }[];
}

/** Pages between two pauses. */
const STRIDE = 50;

export async function indexApi(
  analyzer: Analyzer,
  { pages: outline }: Pick<ApiOutline, 'pages'>,
  pause: () => Promise<unknown>,
): Promise<ApiIndex> {
  const pages: IndexedApiPage[] = [];
  const postings = new Map<string, Posting[]>();
  const words = new Map<string, { word: string; term: string; frequency: number }>();
  for (const breadcrumbs of breadcrumbsOf(outline)) {
    if (pages.length % STRIDE === STRIDE - 1) await pause();
    const { title, slug, description = '', text = '', shows } = breadcrumbs.at(-1) as ApiPage;
    const body = joined([shows ? labelOfPart(shows) : '', text]);
    pages.push({ breadcrumbs, sections: [{ title: '', text: joined([body, description]) }] });
    const page = { title, slug, description, sections: [{ title: '', text: body }] };
    const terms = termsOf(analyzer, page);
    for (const [term, impact] of terms.impacts) {
      const posting = { document: pages.length, impact };
      const known = postings.get(term);
      if (known) known.push(posting);
      else postings.set(term, [posting]);
    }
    for (const [word, term] of terms.words) {
      const known = words.get(word);
      if (known) known.frequency++;
      else words.set(word, { word, term, frequency: 1 });
    }
  }
  const encoded = [...postings].map(
    ([term, list]) => [term, { frequency: list.length, block: encodePostings(list) }] as const,
  );
  return { pages, postings: new Map(encoded), words: [...words.values()] };
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

function* breadcrumbsOf(
  pages: readonly ApiPage[],
  above: readonly ApiPage[] = [],
): Generator<readonly ApiPage[]> {
  for (const page of pages) {
    const breadcrumbs = [...above, page];
    yield breadcrumbs;
    yield* breadcrumbsOf(page.pages ?? [], breadcrumbs);
  }
}
