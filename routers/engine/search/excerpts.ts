/** What is shown of the sections of a page that a query finds. */

import type { Analyzer } from './analyzer.ts';
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
 * The sections of a page that have words of a query, the best first.
 * @param weights what each term of the query counts
 */
export function excerptsOf(
  analyzer: Analyzer,
  sections: readonly Section[],
  weights: ReadonlyMap<string, number>,
): Excerpt[] {
  const weightOf = (term: string) => weights.get(term) ?? 0;
  const found: { section: Section; score: number; marks: Mark[] }[] = [];
  let left = MAX_READ;
  for (const section of sections) {
    if (left <= 0) break;
    const text = section.text.slice(0, left);
    left -= text.length + section.title.length + 1;
    const tokens = analyzer.tokens(text);
    const score = scoreSection(tokens, analyzer.tokens(section.title.slice(0, LENGTH)), weightOf);
    if (score === 0) continue;
    const marks = tokens.filter(({ term }) => weights.has(term)).map(({ start, end }) => ({ start, end }));
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
    marks: joined(marks.filter((mark) => mark.start >= from && mark.end <= end))
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
function joined(marks: readonly Mark[]): Mark[] {
  const result: Mark[] = [];
  for (const mark of [...marks].sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && mark.start <= last.end) last.end = Math.max(last.end, mark.end);
    else result.push({ ...mark });
  }
  return result;
}
