/** What a query asks for. */

import type { Analyzer, Token } from './analyzer.ts';
import { fold } from './fold.ts';

/** Words of a query that are looked for; further ones change nothing. */
const MAX_WORDS = 24;

export interface QueryWord {
  term: string;
  /** Folded, as it was written. */
  word: string;
  /** Whether it may be spelled differently: not in phrases, nor in scripts where every pair of characters is a word. */
  isLoose: boolean;
  /** Whether more of it may follow: the last word, if nothing stands behind it. */
  isOpen: boolean;
  /** Whether pages without it are no answer. */
  isRequired: boolean;
  /** What stands in for an identifier that no page has. */
  parts: QueryWord[];
}

export interface Query {
  words: QueryWord[];
  /** Folded texts that must occur. */
  phrases: string[];
  /** Terms that must not occur. */
  excluded: string[];
  /** Whether it has words that say nothing alone: then others of its words may be there for the grammar, too. */
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
      addWords(query, withoutStopWords(analyzer, tokens), { isLoose: false, isRequired: true });
    } else if (/^[-−][^-−]/.test(item)) {
      const [first] = analyzer.tokens(item.slice(1));
      if (first) query.excluded.push(first.term);
    } else {
      for (const token of analyzer.tokens(item))
        plain.push({ ...token, start: token.start + index, end: token.end + index });
    }
  }
  const telling = withoutStopWords(analyzer, plain);
  // Of stop words alone, titles may still consist.
  const asked = telling.length > 0 || query.words.length > 0 ? telling : plain;
  query.isSentence = asked.length < plain.length;
  addWords(query, asked, { isLoose: true, isRequired: false });
  const last = plain.at(-1);
  const lastWord = query.words.at(-1);
  if (last && last === asked.at(-1) && lastWord && last.end === text.length) {
    lastWord.isOpen = true;
    const lastPart = lastWord.parts.at(-1);
    if (lastPart) lastPart.isOpen = true;
  }
  query.words = distinct(query.words).slice(0, MAX_WORDS);
  return query;
}

const withoutStopWords = ({ stopWords }: Analyzer, tokens: readonly Token[]): Token[] =>
  tokens.filter(({ kind, word }) => kind !== 'word' || !stopWords.has(word));

function addWords(
  { words }: Query,
  tokens: readonly Token[],
  { isLoose, isRequired }: Pick<QueryWord, 'isLoose' | 'isRequired'>,
): void {
  const made = ({ term, word, kind }: Token): QueryWord => ({
    term,
    word,
    isLoose: isLoose && kind !== 'pair',
    isOpen: false,
    isRequired,
    parts: [],
  });
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'part') continue;
    if (token.kind !== 'whole') {
      words.push(made(token));
      continue;
    }
    const parts = atoms(partsAfter(tokens, index)).map(made);
    // Words that a hyphen joins are often written apart.
    if (token.isProse && parts.length > 0) for (const part of parts) words.push(part);
    else words.push({ ...made(token), parts });
  }
}

function partsAfter(tokens: readonly Token[], whole: number): Token[] {
  let end = whole + 1;
  while (tokens[end]?.kind === 'part') end++;
  return tokens.slice(whole + 1, end);
}

/** The parts that hold no others. */
const atoms = (parts: readonly Token[]): Token[] =>
  parts.filter(
    (part) => !parts.some((other) => other !== part && other.start >= part.start && other.end <= part.end),
  );

/** Each term once; it is required, or open, if it is so anywhere. */
function distinct(words: readonly QueryWord[]): QueryWord[] {
  const byTerm = new Map<string, QueryWord>();
  for (const word of words) {
    const known = byTerm.get(word.term);
    if (!known) byTerm.set(word.term, { ...word });
    else {
      known.isRequired ||= word.isRequired;
      known.isOpen ||= word.isOpen;
    }
  }
  return [...byTerm.values()];
}

/** A text as phrases are compared: words apart by one space, whatever stands between them; dots only within words. */
export const phraseOf = (text: string): string =>
  ` ${fold(text)
    .replace(/\.(?![\p{L}\p{N}_])/gu, ' ')
    .replace(/(?<![\p{L}\p{M}\p{N}_])\./gu, ' ')
    .replace(/[^\p{L}\p{M}\p{N}_.]+/gu, ' ')
    .trim()} `;
