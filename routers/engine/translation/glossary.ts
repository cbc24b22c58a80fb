/** The glossary of an organization: finds its terms in texts to translate and enforces their translations. */

import { STRIDE, type Steps } from '../steps.ts';
import { NONE, SequenceIndex } from './sequence-index.ts';
import { escapeText, TAG } from './tagged-text.ts';

/** A term and its translation. */
export interface Term {
  readonly source: string;
  readonly target: string;
}

/** Terms, indexed by the tokens of their sources. */
export interface Glossary {
  readonly terms: readonly Term[];
  /** The tokens of each source. */
  readonly sources: readonly Int32Array[];
  /** The numbers of all tokens in sources. */
  readonly tokens: ReadonlyMap<string, number>;
  readonly index: SequenceIndex;
}

/** Matches words, or single characters in scripts without spaces. */
const WORD =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]|[\\p{L}\\p{M}\\p{N}]+';
const HAS_WORD = new RegExp(WORD, 'u');

/** Matches the next token of a tagged text: a tag, an escaped character, a word, or any other character. */
const TOKEN = new RegExp(`${TAG}|&(?:amp|lt|gt);|${WORD}|[^]`, 'giu');

/** The same for all spellings of a token that differ only in case; a Greek sigma has another form at the end of a word. */
const fold = (token: string): string => token.toLowerCase().replaceAll('ς', 'σ');

/** Indexes terms for lookup. If two have the same source, the later one wins. Terms without words are never found. */
export function* createGlossary(all: Iterable<Term>): Steps<Glossary> {
  const tokens = new Map<string, number>();
  const terms = [...all].filter(({ source }) => HAS_WORD.test(source));
  const sources: Int32Array[] = [];
  for (const { source } of terms) {
    const read = escapeText(source).match(TOKEN) ?? [];
    sources.push(
      Int32Array.from(read, (token) => {
        const folded = fold(token);
        const number = tokens.get(folded) ?? tokens.size;
        tokens.set(folded, number);
        return number;
      }),
    );
    yield;
  }
  return { terms, sources, tokens, index: yield* SequenceIndex.of(sources) };
}

interface Occurrence {
  term: Term;
  start: number;
  end: number;
}

/**
 * Finds the terms in a tagged text, as whole words and regardless of case, in order and without overlaps: of those that begin
 * at the same place, the longest.
 */
function* findOccurrences(text: string, { terms, sources, tokens, index }: Glossary): Steps<Occurrence[]> {
  const numbers: number[] = [];
  const starts: number[] = [];
  for (const { 0: token, index: start } of text.matchAll(TOKEN)) {
    starts.push(start);
    numbers.push(tokens.get(fold(token)) ?? NONE);
    if (starts.length % STRIDE === 0) yield;
  }
  const longest = yield* index.longestAt(Int32Array.from(numbers));
  const found: Occurrence[] = [];
  for (let place = 0; place < longest.length; ) {
    const number = longest[place] as number;
    const length = number === NONE ? 1 : (sources[number]?.length ?? 1);
    const term = terms[number];
    const end = starts[place + length] ?? text.length;
    if (term) found.push({ term, start: starts[place] as number, end });
    place += length;
  }
  return found;
}

/** Returns the terms that occur in a tagged text, without duplicates. */
export function* findTerms(text: string, glossary: Glossary): Steps<Term[]> {
  if (glossary.terms.length === 0) return [];
  const found = yield* findOccurrences(text, glossary);
  return [...new Set(found.map(({ term }) => term))];
}

/** A tagged text in which terms are replaced by tags, so that a translation engine cannot translate them differently. */
export interface ProtectedText {
  text: string;
  /** Replaces the tags in a translation by the translated terms; undefined if a tag is missing. */
  restore(translation: string): string | undefined;
}

/** Tag numbers of terms start above those of other tags. */
const FIRST_TERM = 900_000;

export function* protectTerms(text: string, glossary: Glossary): Steps<ProtectedText> {
  const targets: string[] = [];
  let written = '';
  let end = 0;
  for (const found of yield* findOccurrences(text, glossary)) {
    written += `${text.slice(end, found.start)}<x${FIRST_TERM + targets.push(found.term.target)}/>`;
    end = found.end;
  }
  written += text.slice(end);
  return {
    text: written,
    restore(translation) {
      const seen = new Set<number>();
      let isWhole = true;
      const restored = translation.replace(/<x(9\d{5})[ ]?(?:\/>|><\/x\1>)/gi, (_, number) => {
        const place = Number(number) - FIRST_TERM;
        const target = targets[place - 1];
        isWhole &&= target !== undefined && !seen.has(place);
        seen.add(place);
        return escapeText(target ?? '');
      });
      return isWhole && seen.size === targets.length ? restored : undefined;
    },
  };
}
