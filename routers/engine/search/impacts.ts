/** What the terms of a page weigh: BM25F, with what its titles say outside of the saturation. */

import type { Analyzer, Token } from './analyzer.ts';
import type { Section } from './sections.ts';

const K1 = 1.2;
/** Terms of an average page. What a longer one says counts less by as much: it has most words somewhere. */
const AVERAGE = 400;
/** Words of an average section. */
const AVERAGE_SECTION = 100;
/** Of an average page: pages shorter than this part of one count as if they had it. */
const MIN_NORM = 0.5;

const TITLE = 4;

/** Of headings, the description and the slug. */
const HEADING = 2;
const BODY = 1;

/** Added where the title, or a heading, has the term, however often the page has it; for a heading, shared by its words. */
const IN_TITLE = 2;
const IN_HEADING = 1;

/** The most that a term weighs in a page. */
export const MAX_IMPACT = K1 + 1 + IN_TITLE + IN_HEADING;

/** A page, or the part of it that is shown under the same conditions. */
export interface IndexedPage {
  title: string;
  description: string;
  slug: string;
  sections: readonly Section[];
}

export interface PageTerms {
  /** The impact of each term as a byte. */
  impacts: Map<string, number>;
  /** The words of each term, as they are written, folded. */
  words: Map<string, string>;
}

/** How often a page has a term. */
interface Weight {
  title: number;
  /** In the description and the slug. */
  other: number;
  heading: number;
  body: number;
  /** The greatest part of a heading that the term is. */
  ofHeading: number;
}

export const impactOf = (byte: number): number => (byte * MAX_IMPACT) / 255;

/** The terms of a page. Stop words count in titles and headings alone. */
export function termsOf(analyzer: Analyzer, page: IndexedPage): PageTerms {
  const weights = new Map<string, Weight>();
  const words = new Map<string, string>();
  let length = 0;
  const add = (text: string, count: (weight: Weight, part: number) => void, isBody: boolean) => {
    const tokens = analyzer.tokens(text);
    const part = isBody ? 0 : 1 / Math.max(1, tellingCount(analyzer, tokens));
    for (const { term, word, kind } of tokens) {
      if (isBody && analyzer.stopWords.has(word)) continue;
      if (isBody && kind !== 'part') length++;
      if (kind !== 'pair') words.set(word, term);
      let weight = weights.get(term);
      if (!weight) {
        weight = { title: 0, other: 0, heading: 0, body: 0, ofHeading: 0 };
        weights.set(term, weight);
      }
      count(weight, part);
    }
  };
  add(page.title, (weight) => weight.title++, false);
  add(page.description, (weight) => weight.other++, true);
  add(page.slug, (weight) => weight.other++, true);
  for (const { title, text } of page.sections) {
    const inHeading = (weight: Weight, part: number) => {
      weight.heading++;
      weight.ofHeading = Math.max(weight.ofHeading, part);
    };
    add(title, inHeading, false);
    add(text, (weight) => weight.body++, true);
  }
  const norm = Math.max(MIN_NORM, length / AVERAGE);
  const impacts = new Map<string, number>();
  for (const [term, weight] of weights) impacts.set(term, byteOf(weight, norm));
  return { impacts, words };
}

/** How many words there are that say something, each whole counted once. */
const tellingCount = ({ stopWords }: Analyzer, tokens: readonly Token[]): number =>
  tokens.filter(({ kind, word }) => kind !== 'part' && !stopWords.has(word)).length;

function byteOf({ title, other, heading, body, ofHeading }: Weight, norm: number): number {
  const inHeadings = (HEADING * heading) / Math.max(1, norm);
  const frequency = TITLE * title + HEADING * other + inHeadings + (BODY * body) / norm;
  const saturated = ((K1 + 1) * frequency) / (frequency + K1);
  const impact = saturated + (title > 0 ? IN_TITLE : 0) + IN_HEADING * ofHeading;
  return Math.max(1, Math.round((impact / MAX_IMPACT) * 255));
}

/**
 * The same for a section alone, of some terms: how often they occur.
 * @param length how many words it has, about
 */
export function scoreSection(
  tokens: readonly Token[],
  titleTokens: readonly Token[],
  weightOf: (term: string) => number,
  length: number,
): number {
  const counts = new Map<string, number>();
  for (const { term } of tokens) if (weightOf(term) > 0) counts.set(term, (counts.get(term) ?? 0) + BODY);
  for (const { term } of titleTokens)
    if (weightOf(term) > 0) counts.set(term, (counts.get(term) ?? 0) + HEADING);
  const norm = 0.5 + (0.5 * length) / AVERAGE_SECTION;
  let score = 0;
  for (const [term, count] of counts) score += (weightOf(term) * ((K1 + 1) * count)) / (count + K1 * norm);
  return score;
}
