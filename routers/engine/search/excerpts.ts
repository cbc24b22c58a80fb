/** What is shown of the sections of a page that a query finds. */

import type { Analyzer, Token } from './analyzer.ts';
import { scoreSection } from './impacts.ts';
import type { Section } from './sections.ts';

/** UTF-16 code units of an excerpt, about. */
const LENGTH = 240;
/** Of them, before the first word of the query. */
const BEFORE = 60;
/** Sections of one page that are shown. */
const MAX_SECTIONS = 3;
/** Of one page's text, what is looked through for a query. */
const MAX_READ = 60_000;
const MAX_MARKS = 20;
/** UTF-16 code units of a word and what parts it from the next, about. */
const WORD = 6;
/** Places of one section that are looked at. */
const MAX_PLACES = 300;
/** The longest identifier around a place, before and behind it. */
const AROUND = 100;

interface Mark {
  start: number;
  end: number;
}

export interface Excerpt {
  anchor?: string;
  title: string;
  score: number;
  body: string;
  /** Where the words of the query stand in the body, in UTF-16 code units. */
  marks: Mark[];
}

/**
 * Finds the sections of a page that have words of a query, the best first.
 * @param weights what each term of the query counts
 */
export function createExcerpter(
  analyzer: Analyzer,
  weights: ReadonlyMap<string, number>,
): (sections: readonly Section[]) => Excerpt[] {
  const weightOf = (term: string) => weights.get(term) ?? 0;
  const starts = startsOf(weights.keys());
  return (sections) => {
    const found: { section: Section; score: number; marks: Mark[] }[] = [];
    let left = MAX_READ;
    for (const section of sections) {
      if (left <= 0) break;
      const text = section.text.slice(0, left);
      left -= text.length + section.title.length + 1;
      const tokens = tokensOf(analyzer, text, weights, starts);
      const titleTokens = tokensOf(analyzer, section.title.slice(0, LENGTH), weights, starts);
      const score = scoreSection(tokens, titleTokens, weightOf, text.length / WORD);
      if (score === 0) continue;
      const marks = tokens.map(({ start, end }) => ({ start, end }));
      found.push({ section: { ...section, text }, score, marks });
    }
    // Only the title has the words: how the page begins.
    const first = sections.find(({ text }) => text !== '');
    if (found.length === 0) return first ? [excerptOf(first, 0, [])] : [];
    // A stable sort: equal ones stay in the order of the page.
    return found
      .sort((one, other) => other.score - one.score)
      .slice(0, MAX_SECTIONS)
      .map(({ section, score, marks }) => excerptOf(section, score, marks));
  };
}

/**
 * How words may begin that have some terms: whether there is such a beginning of one, two or three UTF-16 code units, by its
 * {@link startCode}. A word and its stem have the first three characters in common.
 */
type Starts = readonly [one: Uint8Array, two: Uint8Array, three: Uint8Array];

const CODES = 4096;

/** Three UTF-16 code units as one number, which few others share; 0 for those that a shorter beginning does not have. */
const startCode = (first: number, second: number, third: number): number =>
  ((first * 61 + second) * 61 + third) & (CODES - 1);

function startsOf(terms: Iterable<string>): Starts {
  const starts: Starts = [new Uint8Array(CODES), new Uint8Array(CODES), new Uint8Array(CODES)];
  for (const term of terms) {
    const unit = (at: number) => (at < term.length ? term.charCodeAt(at) : 0);
    const codes = starts[Math.min(term.length, 3) - 1];
    if (codes) codes[startCode(unit(0), unit(1), unit(2))] = 1;
  }
  return starts;
}

/** Letters that are folded, or have capitals beyond ASCII, so that what is written does not begin as its term does. */
const FOLDED = /[\u00c0-\u058f\u10a0-\u10ff\u1c80-\u1fff\u2c00-\u2dff\ua640-\uabff\uff21-\uff5a]/;
const SPACE = /\s/;

/** The tokens of a text that are of some terms. Only what begins like one of them is taken apart: most of a text is not. */
function tokensOf(
  analyzer: Analyzer,
  text: string,
  weights: ReadonlyMap<string, number>,
  starts: Starts,
): Token[] {
  const isInQuery = ({ term }: Token) => weights.has(term);
  if (!analyzer.keepsStart || FOLDED.test(text)) return analyzer.tokens(text).filter(isInQuery);
  const found: Token[] = [];
  let done = 0;
  let places = 0;
  for (const place of placesIn(text, starts)) {
    if (place < done) continue;
    if (places++ === MAX_PLACES) break;
    const [from, to] = aroundOf(text, place, done);
    for (const token of analyzer.tokens(text.slice(from, to)))
      if (isInQuery(token)) found.push({ ...token, start: token.start + from, end: token.end + from });
    done = Math.max(place + 1, to - 1);
  }
  return found;
}

/** Where words begin, or parts of identifiers, that may have one of some terms. */
function placesIn(text: string, [one, two, three]: Starts): number[] {
  const places: number[] = [];
  let isAfterLetter = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // In the middle of a word, only a capital begins a part.
    const isSmall = code > 96 && code < 123;
    if (isSmall && isAfterLetter) continue;
    isAfterLetter = isSmall || (code > 64 && code < 91);
    const first = lowered(code);
    const second = at + 1 < text.length ? lowered(text.charCodeAt(at + 1)) : 0;
    const third = at + 2 < text.length ? lowered(text.charCodeAt(at + 2)) : 0;
    if (
      three[startCode(first, second, third)] ||
      two[startCode(first, second, 0)] ||
      one[startCode(first, 0, 0)]
    )
      places.push(at);
  }
  return places;
}

/** A capital of ASCII as a small letter. */
const lowered = (code: number): number => (code > 64 && code < 91 ? code | 32 : code);

/** What stands around a place without spaces; of a script without spaces, two characters. */
function aroundOf(text: string, place: number, done: number): [from: number, to: number] {
  if (text.charCodeAt(place) > 0x2fff || (text.charCodeAt(place) > 0xdff && text.charCodeAt(place) < 0x1e00))
    return [place, place + [...text.slice(place, place + 4)].slice(0, 2).join('').length];
  let from = place;
  while (from > done && place - from < AROUND && !SPACE.test(text[from - 1] as string)) from--;
  let to = place;
  while (to < text.length && to - place < AROUND && !SPACE.test(text[to] as string)) to++;
  return [from, to];
}

function excerptOf({ anchor, title, text }: Section, score: number, marks: readonly Mark[]): Excerpt {
  const from = wordStart(text, startOf(marks));
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

/** Where the most words of the query stand together. */
function startOf(marks: readonly Mark[]): number {
  let [best, most] = [0, 0];
  for (let first = 0, last = 0; first < marks.length; first++) {
    const { start } = marks[first] as Mark;
    while (last < marks.length && (marks[last] as Mark).end <= start + LENGTH - BEFORE) last++;
    if (last - first > most) {
      most = last - first;
      best = start;
    }
  }
  return best <= BEFORE ? 0 : best - BEFORE;
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, at + BEFORE).search(/\s/);
  return space >= 0 ? at + space + 1 : outsidePair(text, at);
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const before = text.slice(at - BEFORE, at);
  const space = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n'));
  return space > 0 ? at - BEFORE + space : outsidePair(text, at);
}

/** The two halves of a character are not to be parted. */
const outsidePair = (text: string, at: number): number =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;

/** Marks that overlap or touch as one: of the parts of an identifier, and of pairs of characters. */
function mergeMarks(marks: readonly Mark[]): Mark[] {
  const result: Mark[] = [];
  for (const mark of [...marks].sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && mark.start <= last.end) last.end = Math.max(last.end, mark.end);
    else result.push({ ...mark });
  }
  return result;
}
