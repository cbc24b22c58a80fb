/** The glossary of an organization: finds its terms in texts to translate and enforces their translations. */

import { escapeText, mapTextBetweenTags } from './tagged-text.ts';

/** A term and its translation. */
export interface Term {
  readonly source: string;
  readonly target: string;
}

/** Terms by their first word. */
export type Glossary = ReadonlyMap<string, readonly Term[]>;

/** Matches words, or single characters in scripts without spaces. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

const fold = (text: string): string => text.toLowerCase();

/** Indexes terms for lookup. If two have the same source, the later one wins. */
export function createGlossary(terms: Iterable<Term>): Glossary {
  const bySource = new Map([...terms].map((term) => [fold(term.source), term]));
  const glossary = new Map<string, Term[]>();
  for (const term of bySource.values()) {
    const first = fold(escapeText(term.source)).match(WORD)?.[0];
    if (first === undefined) continue;
    const same = glossary.get(first);
    if (same) same.push(term);
    else glossary.set(first, [term]);
  }
  // The longest match wins.
  for (const same of glossary.values()) same.sort((a, b) => b.source.length - a.source.length);
  return glossary;
}

interface Occurrence {
  term: Term;
  start: number;
  end: number;
}

/** Finds the terms in an escaped run of text, in order and without overlaps. */
function findOccurrences(run: string, glossary: Glossary): Occurrence[] {
  const found: Occurrence[] = [];
  const words = [...run.matchAll(WORD)];
  const ends = new Set(words.map(({ index, 0: word }) => index + word.length));
  let after = 0;
  for (const { index, 0: word } of words) {
    if (index < after || run[index - 1] === '&') continue;
    for (const term of glossary.get(fold(word)) ?? []) {
      const source = escapeText(term.source);
      const lead = source.search(WORD);
      const start = index - lead;
      const end = start + source.length;
      const isBounded = ends.has(end) || !/[\p{L}\p{M}\p{N}]/u.test(source.at(-1) ?? '');
      if (start < after || !isBounded || fold(run.slice(start, end)) !== fold(source)) continue;
      found.push({ term, start, end });
      after = end;
      break;
    }
  }
  return found;
}

/** Returns the terms that occur in a tagged text, without duplicates. */
export function findTerms(text: string, glossary: Glossary): Term[] {
  const found = new Set<Term>();
  if (glossary.size > 0)
    mapTextBetweenTags(text, (run) => {
      for (const { term } of findOccurrences(run, glossary)) found.add(term);
      return run;
    });
  return [...found];
}

/** A tagged text in which terms are replaced by tags, so that a translation engine cannot translate them differently. */
export interface ProtectedText {
  text: string;
  /** Replaces the tags in a translation by the translated terms; undefined if a tag is missing. */
  restore(translation: string): string | undefined;
}

/** Tag numbers of terms start above those of other tags. */
const FIRST_TERM = 900_000;

export function protectTerms(text: string, glossary: Glossary): ProtectedText {
  const targets: string[] = [];
  const written = mapTextBetweenTags(text, (run) => {
    let result = '';
    let end = 0;
    for (const found of findOccurrences(run, glossary)) {
      result += `${run.slice(end, found.start)}<x${FIRST_TERM + targets.push(found.term.target)}/>`;
      end = found.end;
    }
    return result + run.slice(end);
  });
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
