/** The impacts of the terms of a page: BM25F, with bonuses for titles and headings that are exempt from saturation. */

import type { Analyzer, Token } from './analyzer.ts';
import type { Section } from './sections.ts';

const K1 = 1.2;
/** Number of terms in an average page. Terms of a longer page count proportionally less: it contains most words somewhere. */
const AVERAGE_LENGTH = 400;
/** Number of words in an average section. */
const AVERAGE_SECTION_LENGTH = 100;
/** The minimum length of a page, relative to the average; shorter pages count as this long. */
const MIN_NORM = 0.5;

const TITLE_WEIGHT = 4;

/** For headings, the description and the slug. */
const HEADING_WEIGHT = 2;
const BODY_WEIGHT = 1;

/** Added if the title contains the term, however often. */
const TITLE_BONUS = 2;
/** Multiplied by the share of the words of the title or a heading that the term makes up: what is about just that comes first. */
const TITLE_SHARE_BONUS = 2;
const HEADING_BONUS = 1;

/** The maximum impact of a term. */
export const MAX_IMPACT = K1 + 1 + TITLE_BONUS + TITLE_SHARE_BONUS + HEADING_BONUS;

/** A page, or the part of it under the same conditions. */
export interface IndexedPage {
  title: string;
  description: string;
  slug: string;
  sections: readonly Section[];
}

export interface PageTerms {
  /** The impact of each term as a byte. */
  impacts: Map<string, number>;
  /** The term of each folded word. */
  words: Map<string, string>;
}

/** How often a term occurs in a page, by field. */
interface TermCounts {
  title: number;
  /** In the description and the slug. */
  other: number;
  heading: number;
  body: number;
  /** The share of the title's words that the term makes up. */
  titleShare: number;
  /** The maximum share of a heading's words that the term makes up. */
  headingShare: number;
}

/** Converts the byte that an index stores to an impact. */
export const impactOf = (byte: number): number => (byte * MAX_IMPACT) / 255;

/** The terms of a page. Stop words are indexed only in titles and headings. */
export function termsOf(analyzer: Analyzer, page: IndexedPage): PageTerms {
  const countsByTerm = new Map<string, TermCounts>();
  const words = new Map<string, string>();
  let length = 0;
  const add = (text: string, count: (counts: TermCounts, share: number) => void, isBody: boolean) => {
    const tokens = analyzer.tokens(text);
    const share = isBody ? 0 : 1 / Math.max(1, contentWordCount(analyzer, tokens));
    for (const { term, word, kind } of tokens) {
      if (isBody && analyzer.stopWords.has(word)) continue;
      if (isBody && kind !== 'part') length++;
      if (kind !== 'pair') words.set(word, term);
      let counts = countsByTerm.get(term);
      if (!counts) {
        counts = { title: 0, other: 0, heading: 0, body: 0, titleShare: 0, headingShare: 0 };
        countsByTerm.set(term, counts);
      }
      count(counts, share);
    }
  };
  const countInTitle = (counts: TermCounts, share: number) => {
    counts.title++;
    counts.titleShare = Math.min(1, counts.titleShare + share);
  };
  add(page.title, countInTitle, false);
  add(page.description, (counts) => counts.other++, true);
  add(page.slug, (counts) => counts.other++, true);
  for (const { title, text } of page.sections) {
    const countInHeading = (counts: TermCounts, share: number) => {
      counts.heading++;
      counts.headingShare = Math.max(counts.headingShare, share);
    };
    add(title, countInHeading, false);
    add(text, (counts) => counts.body++, true);
  }
  const norm = Math.max(MIN_NORM, length / AVERAGE_LENGTH);
  const impacts = new Map<string, number>();
  for (const [term, counts] of countsByTerm) impacts.set(term, impactByteOf(counts, norm));
  return { impacts, words };
}

/** The number of words other than stop words; the parts of identifiers are not counted. */
const contentWordCount = ({ stopWords }: Analyzer, tokens: readonly Token[]): number =>
  tokens.filter(({ kind, word }) => kind !== 'part' && !stopWords.has(word)).length;

function impactByteOf(counts: TermCounts, norm: number): number {
  const { title, other, heading, body, titleShare, headingShare } = counts;
  const inHeadings = (HEADING_WEIGHT * heading) / Math.max(1, norm);
  const frequency = TITLE_WEIGHT * title + HEADING_WEIGHT * other + inHeadings + (BODY_WEIGHT * body) / norm;
  const saturated = ((K1 + 1) * frequency) / (frequency + K1);
  const titleBonus = title > 0 ? TITLE_BONUS + TITLE_SHARE_BONUS * titleShare : 0;
  const impact = saturated + titleBonus + HEADING_BONUS * headingShare;
  return Math.max(1, Math.round((impact / MAX_IMPACT) * 255));
}

/**
 * Scores a section by the terms of a query with BM25.
 * @param weights the weight of each term
 * @param length approximate number of words
 */
export function scoreSection(
  tokens: readonly Pick<Token, 'term'>[],
  titleTokens: readonly Pick<Token, 'term'>[],
  weights: ReadonlyMap<string, number>,
  length: number,
): number {
  const counts = new Map<string, number>();
  for (const { term } of tokens) counts.set(term, (counts.get(term) ?? 0) + BODY_WEIGHT);
  for (const { term } of titleTokens) counts.set(term, (counts.get(term) ?? 0) + HEADING_WEIGHT);
  const norm = 0.5 + (0.5 * length) / AVERAGE_SECTION_LENGTH;
  let score = 0;
  for (const [term, count] of counts)
    score += ((weights.get(term) ?? 0) * ((K1 + 1) * count)) / (count + K1 * norm);
  return score;
}
