/** The inverted index of the pages generated from an OpenAPI spec. They are few, so it is kept in memory with the outline. */

import { labelOfPart } from '../document/api-part.ts';
import type { ApiOutline, ApiPage } from '../templates/api-outline.ts';
import type { Analyzer } from './analyzer.ts';
import { termsOf } from './impacts.ts';
import { encodePostings, type Posting } from './postings.ts';
import type { Section } from './sections.ts';

/** A generated page with its breadcrumbs within the outline, and the text that excerpts are taken from. */
export interface IndexedApiPage {
  /** From the topmost page down to the page itself. */
  breadcrumbs: readonly ApiPage[];
  sections: readonly Section[];
}

export interface ApiIndex {
  pages: readonly IndexedApiPage[];
  /** The postings of each term. A document is numbered by the index of its page, counted from 1. */
  postings: ReadonlyMap<string, { frequency: number; block: Uint8Array }>;
  words: readonly { word: string; term: string; frequency: number }[];
}

/** How many pages are indexed between two pauses. */
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
    const body = joinLines([shows ? labelOfPart(shows) : '', text]);
    pages.push({ breadcrumbs, sections: [{ title: '', text: joinLines([body, description]) }] });
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

const joinLines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

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
