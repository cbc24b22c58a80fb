/** Excerpts of the sections of a page that match a query, with highlights. */

import type { Analyzer, Token } from './analyzer.ts';
import { scoreSection } from './impacts.ts';
import type { Section } from './sections.ts';

/** Approximate length of an excerpt, in UTF-16 code units. */
const LENGTH = 240;
/** How much of it precedes the first word of the query. */
const LEAD_LENGTH = 60;
/** Maximum number of sections with an excerpt per page. */
const MAX_SECTIONS = 3;
/** How much of a page's text is scanned for the words of a query, in UTF-16 code units. */
const MAX_SCANNED = 60_000;
const MAX_MARKS = 20;
/** Average length of a word with the space after it, in UTF-16 code units. */
const WORD_LENGTH = 6;
/** Maximum number of positions in a section where the text is tokenized. */
const MAX_POSITIONS = 300;
/** How far an identifier is followed before and after such a position. */
const MAX_IDENTIFIER_REACH = 100;

interface Mark {
  start: number;
  end: number;
}

export interface Excerpt {
  anchor?: string;
  title: string;
  score: number;
  body: string;
  /** The highlights: positions of words of the query in the body, in UTF-16 code units. */
  marks: Mark[];
}

/**
 * Creates a function that returns excerpts of the best sections of a page, best first.
 * @param weights the weight of each term of the query
 */
export function createExcerpter(
  analyzer: Analyzer,
  weights: ReadonlyMap<string, number>,
): (sections: readonly Section[]) => Excerpt[] {
  const weightOf = (term: string) => weights.get(term) ?? 0;
  const prefixes = prefixTablesOf(weights.keys());
  return (sections) => {
    const matching: { section: Section; score: number; marks: Mark[] }[] = [];
    let left = MAX_SCANNED;
    for (const section of sections) {
      if (left <= 0) break;
      const text = section.text.slice(0, left);
      left -= text.length + section.title.length + 1;
      const tokens = tokensOf(analyzer, text, weights, prefixes);
      const titleTokens = tokensOf(analyzer, section.title.slice(0, LENGTH), weights, prefixes);
      const score = scoreSection(tokens, titleTokens, weightOf, text.length / WORD_LENGTH);
      if (score === 0) continue;
      const marks = tokens.map(({ start, end }) => ({ start, end }));
      matching.push({ section: { ...section, text }, score, marks });
    }
    // If only the title matches, the excerpt is the beginning of the page.
    const first = sections.find(({ text }) => text !== '');
    if (matching.length === 0) return first ? [excerptOf(first, 0, [])] : [];
    // The sort is stable: sections with equal scores stay in the order of the page.
    return matching
      .sort((one, other) => other.score - one.score)
      .slice(0, MAX_SECTIONS)
      .map(({ section, score, marks }) => excerptOf(section, score, marks));
  };
}

/**
 * The prefixes that words with some terms may have: for one, two and three UTF-16 code units, a table of the prefixes that
 * occur, by their {@link prefixHash}. A word and its stem share the first three characters.
 */
type PrefixTables = readonly [one: Uint8Array, two: Uint8Array, three: Uint8Array];

const TABLE_SIZE = 4096;

/** Hashes up to three UTF-16 code units; those that a shorter prefix lacks are 0. */
const prefixHash = (first: number, second: number, third: number): number =>
  ((first * 61 + second) * 61 + third) & (TABLE_SIZE - 1);

function prefixTablesOf(terms: Iterable<string>): PrefixTables {
  const tables: PrefixTables = [
    new Uint8Array(TABLE_SIZE),
    new Uint8Array(TABLE_SIZE),
    new Uint8Array(TABLE_SIZE),
  ];
  for (const term of terms) {
    const unit = (at: number) => (at < term.length ? term.charCodeAt(at) : 0);
    const table = tables[Math.min(term.length, 3) - 1];
    if (table) table[prefixHash(unit(0), unit(1), unit(2))] = 1;
  }
  return tables;
}

/** Letters that are folded, or have capitals beyond ASCII: a word with one may not begin like its term. */
const MAY_FOLD = /[\u00c0-\u058f\u10a0-\u10ff\u1c80-\u1fff\u2c00-\u2dff\ua640-\uabff\uff21-\uff5a]/;
const SPACE = /\s/;

/** The tokens with a weight. Only words that begin like one of their terms are tokenized, which skips most of a text. */
function tokensOf(
  analyzer: Analyzer,
  text: string,
  weights: ReadonlyMap<string, number>,
  prefixes: PrefixTables,
): Token[] {
  const isInQuery = ({ term }: Token) => weights.has(term);
  if (!analyzer.keepsPrefix || MAY_FOLD.test(text)) return analyzer.tokens(text).filter(isInQuery);
  const matching: Token[] = [];
  let tokenizedTo = 0;
  let count = 0;
  for (const position of candidatePositions(text, prefixes)) {
    if (position < tokenizedTo) continue;
    if (count++ === MAX_POSITIONS) break;
    const [from, to] = rangeAround(text, position, tokenizedTo);
    for (const token of analyzer.tokens(text.slice(from, to)))
      if (isInQuery(token)) matching.push({ ...token, start: token.start + from, end: token.end + from });
    tokenizedTo = Math.max(position + 1, to - 1);
  }
  return matching;
}

/** Positions where a word, or a part of an identifier, begins like a term. */
function candidatePositions(text: string, [one, two, three]: PrefixTables): number[] {
  const positions: number[] = [];
  let isAfterLetter = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Within a word, only a capital begins a part.
    const isLowerCase = code > 96 && code < 123;
    if (isLowerCase && isAfterLetter) continue;
    isAfterLetter = isLowerCase || (code > 64 && code < 91);
    const first = lowerCase(code);
    const second = at + 1 < text.length ? lowerCase(text.charCodeAt(at + 1)) : 0;
    const third = at + 2 < text.length ? lowerCase(text.charCodeAt(at + 2)) : 0;
    if (
      three[prefixHash(first, second, third)] ||
      two[prefixHash(first, second, 0)] ||
      one[prefixHash(first, 0, 0)]
    )
      positions.push(at);
  }
  return positions;
}

/** Converts an ASCII capital to lower case. */
const lowerCase = (code: number): number => (code > 64 && code < 91 ? code | 32 : code);

/** The range of non-space characters around a position; in a script without spaces, two characters. */
function rangeAround(text: string, position: number, start: number): [from: number, to: number] {
  const code = text.charCodeAt(position);
  if (code > 0x2fff || (code > 0xdff && code < 0x1e00))
    return [position, position + [...text.slice(position, position + 4)].slice(0, 2).join('').length];
  let from = position;
  while (from > start && position - from < MAX_IDENTIFIER_REACH && !SPACE.test(text[from - 1] as string))
    from--;
  let to = position;
  while (to < text.length && to - position < MAX_IDENTIFIER_REACH && !SPACE.test(text[to] as string)) to++;
  return [from, to];
}

function excerptOf({ anchor, title, text }: Section, score: number, marks: readonly Mark[]): Excerpt {
  const from = wordStart(text, densestStart(marks));
  const end = wordEnd(text, from + LENGTH);
  const body = text.slice(from, end).replaceAll('\n', ' ');
  const lead = from > 0 ? '…' : '';
  const shift = lead.length - from;
  return {
    ...(anchor !== undefined && { anchor }),
    title,
    score,
    body: `${lead}${body}${end < text.length ? '…' : ''}`,
    marks: mergeMarks(marks.filter((mark) => mark.start >= from && mark.end <= end))
      .slice(0, MAX_MARKS)
      .map((mark) => ({ start: mark.start + shift, end: mark.end + shift })),
  };
}

/** The start of the passage with the most words of the query. */
function densestStart(marks: readonly Mark[]): number {
  let [best, most] = [0, 0];
  for (let first = 0, last = 0; first < marks.length; first++) {
    const { start } = marks[first] as Mark;
    while (last < marks.length && (marks[last] as Mark).end <= start + LENGTH - LEAD_LENGTH) last++;
    if (last - first > most) {
      most = last - first;
      best = start;
    }
  }
  return best <= LEAD_LENGTH ? 0 : best - LEAD_LENGTH;
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, at + LEAD_LENGTH).search(/\s/);
  return space >= 0 ? at + space + 1 : outsideSurrogatePair(text, at);
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const before = text.slice(at - LEAD_LENGTH, at);
  const space = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n'));
  return space > 0 ? at - LEAD_LENGTH + space : outsideSurrogatePair(text, at);
}

/** Moves a position out of the middle of a surrogate pair. */
const outsideSurrogatePair = (text: string, at: number): number =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;

/** Merges marks that overlap or touch, such as those of the parts of an identifier or of adjacent pairs of characters. */
function mergeMarks(marks: readonly Mark[]): Mark[] {
  const result: Mark[] = [];
  for (const mark of [...marks].sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && mark.start <= last.end) last.end = Math.max(last.end, mark.end);
    else result.push({ ...mark });
  }
  return result;
}
