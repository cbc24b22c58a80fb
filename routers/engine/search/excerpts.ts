/** Excerpts of the sections of a page that match a query, with highlights. */

import { type Analyzer, isUnspaced, type Token } from './analyzer.ts';
import { CandidateScanner } from './candidate-scanner.ts';
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
const MAX_POSITIONS = 1000;
/** Maximum number of words whose tokens are kept for the other sections. */
const MAX_KNOWN_WORDS = 5000;
/** Thai: the first of the scripts without spaces. */
const FIRST_UNSPACED = 0xe00;
/** How far an identifier is followed before and after such a position. */
const MAX_IDENTIFIER_REACH = 100;

type FoundToken = Pick<Token, 'term' | 'start' | 'end'>;

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
  const findTokens = createTokenFinder(analyzer, weights);
  return (sections) => {
    const matching: { section: Section; score: number; tokens: FoundToken[] }[] = [];
    let left = MAX_SCANNED;
    for (const section of sections) {
      if (left <= 0) break;
      const text = section.text.slice(0, left);
      left -= text.length + section.title.length + 1;
      const tokens = findTokens(text);
      const titleTokens = findTokens(section.title.slice(0, LENGTH));
      if (tokens.length === 0 && titleTokens.length === 0) continue;
      const score = scoreSection(tokens, titleTokens, weights, text.length / WORD_LENGTH);
      if (score > 0) matching.push({ section: { ...section, text }, score, tokens });
    }
    // If only the title matches, the excerpt is the beginning of the page.
    const first = sections.find(({ text }) => text !== '');
    if (matching.length === 0) return first ? [excerptOf(first, 0, [])] : [];
    // The sort is stable: sections with equal scores stay in the order of the page.
    return matching
      .sort((one, other) => other.score - one.score)
      .slice(0, MAX_SECTIONS)
      .map(({ section, score, tokens }) => excerptOf(section, score, tokens));
  };
}

const SPACE = /\s/;

/** Whether a UTF-16 code unit is no part of any identifier, nor joins two parts of one. */
const isSeparator = (code: number): boolean =>
  code < 128 ? SEPARATORS[code] === 1 : SPACE.test(String.fromCharCode(code));
const SEPARATORS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.'-]/.test(String.fromCharCode(code)) ? 0 : 1,
);

/**
 * Creates a function that finds the tokens with a weight in a text. Only words that begin like one of their terms are
 * tokenized, which skips most of a text, and most of them once.
 */
function createTokenFinder(
  analyzer: Analyzer,
  weights: ReadonlyMap<string, number>,
): (text: string) => FoundToken[] {
  const scanner = new CandidateScanner([...weights.keys()]);
  const isWanted = analyzer.keepsPrefix ? (word: string) => scanner.mayHaveTerm(word) : undefined;
  const findAll = (text: string) => analyzer.tokens(text, isWanted).filter(({ term }) => weights.has(term));
  const known = new Map<string, Token[]>();
  const findInWord = (word: string): Token[] => {
    let tokens = known.get(word);
    if (!tokens) {
      tokens = findAll(word);
      if (known.size < MAX_KNOWN_WORDS) known.set(word, tokens);
    }
    return tokens;
  };
  return (text) => {
    if (!analyzer.keepsPrefix) return findAll(text);
    scanner.start(text);
    const found: FoundToken[] = [];
    let scannedTo = 0;
    for (let count = 0; count < MAX_POSITIONS; count++) {
      const position = scanner.next(scannedTo);
      if (position < 0) break;
      const { from, to, next } = rangeAround(text, position, scannedTo);
      for (const { term, start, end } of findInWord(text.slice(from, to)))
        found.push({ term, start: start + from, end: end + from });
      scannedTo = next;
    }
    return found;
  };
}

/**
 * The identifier, or what may be one, around a position, and where the next range may begin. In a script without spaces, the
 * range is two characters, and the next may begin with the second of them.
 */
function rangeAround(
  text: string,
  position: number,
  start: number,
): { from: number; to: number; next: number } {
  const code = text.charCodeAt(position);
  const characters = code < FIRST_UNSPACED ? '' : text.slice(position, position + 4);
  if (isUnspaced(characters)) {
    const [first = '', second = ''] = characters;
    const next = position + first.length;
    return { from: position, to: next + second.length, next };
  }
  const first = Math.max(start, position - MAX_IDENTIFIER_REACH);
  const end = Math.min(text.length, position + MAX_IDENTIFIER_REACH);
  let from = position;
  while (from > first && !isSeparator(text.charCodeAt(from - 1))) from--;
  let to = position;
  while (to < end && !isSeparator(text.charCodeAt(to))) to++;
  return { from, to, next: to };
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
