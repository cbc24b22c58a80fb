/** Parses queries. */

import type { Analyzer, Token } from './analyzer.ts';
import { fold } from './fold.ts';

/** Maximum number of words in a query; further ones are ignored. */
const MAX_WORDS = 24;

export interface QueryWord {
  term: string;
  /** The folded word before stemming. */
  word: string;
  /** Whether other spellings match, too: not in phrases, nor in scripts where each pair of characters is a term. */
  isFuzzy: boolean;
  /** Whether it may be the beginning of a word: the last one, if nothing follows it. */
  isPrefix: boolean;
  /** Whether pages without it do not match. */
  isRequired: boolean;
  /** What an identifier is replaced with if no page contains it. */
  parts: QueryWord[];
}

export interface Query {
  words: QueryWord[];
  /** Phrases that must occur, as {@link phraseOf} normalizes them. */
  phrases: string[];
  /** Terms that must not occur. */
  excluded: string[];
  /** Whether it contains stop words: then others of its words may be there only for the grammar, too. */
  isSentence: boolean;
}

/** A quoted text, a word with a minus, or anything else up to the next space. */
const ITEMS = /["“”«»„]([^"“”«»„]*)["“”«»„]?|[^\s"“”«»„]+/g;

export function parseQuery(analyzer: Analyzer, text: string): Query {
  const query: Query = { words: [], phrases: [], excluded: [], isSentence: false };
  const plain: Token[] = [];
  for (const { 0: item, 1: quoted, index } of text.matchAll(ITEMS)) {
    if (quoted !== undefined) {
      const tokens = analyzer.tokens(quoted);
      if (tokens.length === 0) continue;
      query.phrases.push(phraseOf(quoted));
      addWords(query, withoutStopWords(analyzer, tokens), { isFuzzy: false, isRequired: true });
    } else if (/^[-−][^-−]/.test(item)) {
      const [first] = analyzer.tokens(item.slice(1));
      if (first) query.excluded.push(first.term);
    } else {
      for (const token of analyzer.tokens(item))
        plain.push({ ...token, start: token.start + index, end: token.end + index });
    }
  }
  const content = withoutStopWords(analyzer, plain);
  // A query of nothing but stop words may still match titles.
  const tokens = content.length > 0 || query.words.length > 0 ? content : plain;
  query.isSentence = tokens.length < plain.length;
  addWords(query, tokens, { isFuzzy: true, isRequired: false });
  const last = plain.at(-1);
  const lastWord = query.words.at(-1);
  if (last && last === tokens.at(-1) && lastWord && last.end === text.length) {
    lastWord.isPrefix = true;
    const lastPart = lastWord.parts.at(-1);
    if (lastPart) lastPart.isPrefix = true;
  }
  query.words = distinct(query.words).slice(0, MAX_WORDS);
  return query;
}

const withoutStopWords = ({ stopWords }: Analyzer, tokens: readonly Token[]): Token[] =>
  tokens.filter(({ kind, word }) => kind !== 'word' || !stopWords.has(word));

function addWords(
  { words }: Query,
  tokens: readonly Token[],
  { isFuzzy, isRequired }: Pick<QueryWord, 'isFuzzy' | 'isRequired'>,
): void {
  const queryWordOf = ({ term, word, kind }: Token): QueryWord => ({
    term,
    word,
    isFuzzy: isFuzzy && kind !== 'pair',
    isPrefix: false,
    isRequired,
    parts: [],
  });
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'part') continue;
    if (token.kind !== 'whole') {
      words.push(queryWordOf(token));
      continue;
    }
    const parts = innermost(partsAfter(tokens, index)).map(queryWordOf);
    // Hyphenated words are often written apart.
    if (token.isProse && parts.length > 0) for (const part of parts) words.push(part);
    else words.push({ ...queryWordOf(token), parts });
  }
}

function partsAfter(tokens: readonly Token[], whole: number): Token[] {
  let end = whole + 1;
  while (tokens[end]?.kind === 'part') end++;
  return tokens.slice(whole + 1, end);
}

/** The parts that contain no others. */
const innermost = (parts: readonly Token[]): Token[] =>
  parts.filter(
    (part) => !parts.some((other) => other !== part && other.start >= part.start && other.end <= part.end),
  );

/** Removes duplicate terms. A term is required, or a prefix, if any occurrence is. */
function distinct(words: readonly QueryWord[]): QueryWord[] {
  const byTerm = new Map<string, QueryWord>();
  for (const word of words) {
    const known = byTerm.get(word.term);
    if (!known) byTerm.set(word.term, { ...word });
    else {
      known.isRequired ||= word.isRequired;
      known.isPrefix ||= word.isPrefix;
    }
  }
  return [...byTerm.values()];
}

/** Normalizes a text for comparing phrases: folded, with single spaces between and around words, and dots only within them. */
export const phraseOf = (text: string): string =>
  ` ${fold(text)
    .replace(/\.(?![\p{L}\p{N}_])/gu, ' ')
    .replace(/(?<![\p{L}\p{M}\p{N}_])\./gu, ' ')
    .replace(/[^\p{L}\p{M}\p{N}_.]+/gu, ' ')
    .trim()} `;
