/** What the terms of a page weigh: BM25F, with what its titles say outside of the saturation. */

import type { Analyzer, Token } from './analyzer.ts';
import type { Section } from './sections.ts';

const K1 = 1.2;
const B = 0.5;
/** Terms of an average page. */
const AVERAGE = 400;

const TITLE = 4;

/** Of headings, the description and the slug. */
const HEADING = 2;
const BODY = 1;

/** Added where the title, or a heading, has the term, however often the page has it. */
const IN_TITLE = 2;
const IN_HEADING = 0.4;

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

interface Weight {
  title: number;
  other: number;
  body: number;
  inHeading: boolean;
}

export const impactOf = (byte: number): number => (byte * MAX_IMPACT) / 255;

/** The terms of a page. Stop words count in titles and headings alone. */
export function termsOf(analyzer: Analyzer, page: IndexedPage): PageTerms {
  const weights = new Map<string, Weight>();
  const words = new Map<string, string>();
  let length = 0;
  const add = (text: string, count: (weight: Weight) => void, isBody: boolean) => {
    for (const { term, word, kind } of analyzer.tokens(text)) {
      if (isBody && analyzer.stopWords.has(word)) continue;
      if (isBody && kind !== 'part') length++;
      if (kind !== 'pair') words.set(word, term);
      let weight = weights.get(term);
      if (!weight) {
        weight = { title: 0, other: 0, body: 0, inHeading: false };
        weights.set(term, weight);
      }
      count(weight);
    }
  };
  add(page.title, (weight) => weight.title++, false);
  add(page.description, (weight) => weight.other++, true);
  add(page.slug, (weight) => weight.other++, true);
  for (const { title, text } of page.sections) {
    const inHeading = (weight: Weight) => {
      weight.other++;
      weight.inHeading = true;
    };
    add(title, inHeading, false);
    add(text, (weight) => weight.body++, true);
  }
  const norm = 1 - B + (B * length) / AVERAGE;
  const impacts = new Map<string, number>();
  for (const [term, weight] of weights) impacts.set(term, byteOf(weight, norm));
  return { impacts, words };
}

function byteOf({ title, other, body, inHeading }: Weight, norm: number): number {
  const frequency = TITLE * title + HEADING * other + (BODY * body) / norm;
  const impact =
    ((K1 + 1) * frequency) / (frequency + K1) + (title > 0 ? IN_TITLE : 0) + (inHeading ? IN_HEADING : 0);
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
  const norm = 1 - B + (B * length) / 100;
  let score = 0;
  for (const [term, count] of counts) score += (weightOf(term) * ((K1 + 1) * count)) / (count + K1 * norm);
  return score;
}
