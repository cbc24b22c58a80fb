/** The terms of a text: what an index holds of it, and what a query looks for. */

import { fold } from './fold.ts';

/** The longest run of letters that is a word; what is longer, such as encoded bytes, is found by its beginning. */
const MAX_WORD = 64;

/** The part of an identifier that is taken apart, in UTF-16 code units. */
const MAX_CHUNK = 200;

/** Stems that are remembered: those of the common words are most of a text. */
const MAX_STEMS = 20_000;

/** What is done with the words of one language; see `languages.ts`. */
export interface Language {
  /** The stem of a folded word. */
  stem(word: string): string;
  /** Folded words that say nothing alone. */
  stopWords: ReadonlySet<string>;
  /** Whether a stem begins as its words do: in some languages, beginnings are taken off, too. */
  keepsStart: boolean;
}

/**
 * What a text says at one place.
 *
 * - `word`: a word of its own
 * - `whole`: an identifier or compound, such as `Mem_Buf_Limit` or `real-time`, which its parts follow
 * - `part`: a part of the last whole
 * - `pair`: two characters of a script without spaces, or one that stands alone
 */
type TokenKind = 'word' | 'whole' | 'part' | 'pair';

export interface Token {
  /** What the index has it under. */
  term: string;
  /** The folded word, without its ending taken off. */
  word: string;
  kind: TokenKind;
  /** Where it stands in the text, in UTF-16 code units. */
  start: number;
  end: number;
  /** Of a whole: whether only hyphens or apostrophes hold it together, as in prose. */
  isProse?: boolean;
}

export interface Analyzer {
  readonly stopWords: ReadonlySet<string>;
  readonly keepsStart: boolean;
  /** The tokens of a text in order. Takes time in proportion to the text. */
  tokens(text: string): Token[];
}

/** Scripts that are written without spaces between words; Korean joins its words to what follows them. */
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`;
/** A run of such characters, or one of words that are joined as in identifiers. */
const CHUNK = new RegExp(
  String.raw`[[${UNSPACED}]&&[\p{L}\p{M}\p{N}]]+|[[\p{L}\p{M}\p{N}_]--[${UNSPACED}]]+(?:[.\-'’][[\p{L}\p{N}_]--[${UNSPACED}]][[\p{L}\p{M}\p{N}_]--[${UNSPACED}]]*)*`,
  'vy',
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v');

const NUMBERS = /^[\d.]+$/;
const JOINERS = /[._\-'’]+/g;
/** Endings of English words behind an apostrophe that are no words. */
const CLITICS = new Set(['s', 't', 're', 've', 'll', 'd', 'm']);

export function createAnalyzer({ stem, stopWords, keepsStart }: Language): Analyzer {
  const stems = new Map<string, string>();
  const stemOf = (word: string): string => {
    let known = stems.get(word);
    if (known === undefined) {
      known = /\d/.test(word) ? word : stem(word) || word;
      if (stems.size >= MAX_STEMS) stems.clear();
      stems.set(word, known);
    }
    return known;
  };
  return {
    stopWords,
    keepsStart,
    tokens(text) {
      const found: Token[] = [];
      for (let at = 0; at < text.length; ) {
        const code = text.charCodeAt(at);
        if (isAscii(code) && !isJoined(code)) {
          at++;
          continue;
        }
        // Most of a text, without the cost of the general case.
        const plain = plainWordEnd(text, at);
        if (plain > at) {
          const word = text.slice(at, plain).toLowerCase();
          found.push({ term: stemOf(word), word, kind: 'word', start: at, end: plain });
          at = plain;
          continue;
        }
        CHUNK.lastIndex = at;
        const chunk = CHUNK.exec(text)?.[0];
        if (chunk === undefined) {
          at++;
          continue;
        }
        if (IS_UNSPACED.test(chunk)) addPairs(found, chunk, at);
        else addWords(found, chunk, at, stemOf);
        at += chunk.length;
      }
      return found;
    },
  };
}

const isAscii = (code: number): boolean => code < 128;
const isLower = (code: number): boolean => code >= 97 && code <= 122;
/** Letters, digits and the underscore, in ASCII. */
const isJoined = (code: number): boolean =>
  isLower(code) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;

/** The end of a word of ASCII letters, at most the first of them a capital, that nothing is joined to; else its start. */
function plainWordEnd(text: string, start: number): number {
  let end = start + 1;
  const first = text.charCodeAt(start);
  if (!isLower(first) && !(first >= 65 && first <= 90)) return start;
  while (end < text.length && isLower(text.charCodeAt(end))) end++;
  if (end - start > MAX_WORD) return start;
  if (end === text.length) return end;
  const next = text.charCodeAt(end);
  if (!isAscii(next) || isJoined(next)) return start;
  // A dot, a hyphen or an apostrophe joins what stands on both sides of it.
  if (next !== 46 && next !== 45 && next !== 39) return end;
  const behind = text.charCodeAt(end + 1);
  return Number.isNaN(behind) || (isAscii(behind) && !isJoined(behind)) ? end : start;
}

function addPairs(found: Token[], chunk: string, offset: number): void {
  let [before, start] = ['', offset];
  let end = offset;
  for (const character of chunk) {
    const at = end;
    end += character.length;
    if (before !== '') {
      const pair = before + character;
      found.push({ term: pair, word: pair, kind: 'pair', start, end });
    }
    [before, start] = [character, at];
  }
  if (end - offset === before.length)
    found.push({ term: before, word: before, kind: 'pair', start: offset, end });
}

function addWords(found: Token[], chunk: string, offset: number, stemOf: (word: string) => string): void {
  const add = (kind: TokenKind, text: string, start: number, end: number, isProse?: boolean) => {
    const word = fold(text.slice(0, MAX_WORD));
    if (word === '') return;
    const token: Token = { term: stemOf(word), word, kind, start: offset + start, end: offset + end };
    if (isProse) token.isProse = true;
    found.push(token);
  };
  if (NUMBERS.test(chunk)) {
    add('word', chunk, 0, chunk.length);
    return;
  }
  const pieces = piecesOf(chunk.slice(0, MAX_CHUNK));
  const [first] = pieces;
  if (!first) return;
  const clitic = pieces.length === 2 && /['’]/.test(chunk) ? pieces[1] : undefined;
  if (clitic && CLITICS.has(chunk.slice(clitic.start, clitic.end).toLowerCase())) {
    // "user's" is about the user; "don't" is one word.
    const isOwner = chunk.at(-1) === 's' || chunk.at(-1) === 'S';
    const word = isOwner ? chunk.slice(first.start, first.end) : chunk.replace(JOINERS, '');
    add('word', word, first.start, clitic.end);
    return;
  }
  if (pieces.length === 1 && first.humps.length === 1) {
    add('word', chunk.slice(first.start, first.end), first.start, first.end);
    return;
  }
  // What an apostrophe elides, as in "l'installation", leaves two words.
  if (/['’]/.test(chunk)) {
    for (const { start, end } of pieces) add('word', chunk.slice(start, end), start, end);
    return;
  }
  const isProse = !/[._\d]/.test(chunk) && pieces.every(({ humps }) => humps.length === 1);
  add('whole', chunk.slice(0, MAX_WORD * 2).replace(JOINERS, ''), first.start, chunk.length, isProse);
  for (const { start, end, humps } of pieces) {
    if (pieces.length > 1 && end - start > 1) add('part', chunk.slice(start, end), start, end);
    if (humps.length > 1)
      for (const hump of humps)
        if (hump.end - hump.start > 1) add('part', chunk.slice(hump.start, hump.end), hump.start, hump.end);
  }
}

interface Range {
  start: number;
  end: number;
}

/** The pieces of a chunk between joiners, each with the parts that capitals and digits divide it into. */
function piecesOf(chunk: string): (Range & { humps: Range[] })[] {
  const pieces: (Range & { humps: Range[] })[] = [];
  for (const { 0: piece, index } of chunk.matchAll(/[^._\-'’]+/g))
    pieces.push({ start: index, end: index + piece.length, humps: humpsOf(piece, index) });
  return pieces;
}

/** `barBaz2` is bar, Baz and 2; `HTTPServer` is HTTP and Server. */
function humpsOf(piece: string, offset: number): Range[] {
  const humps: Range[] = [];
  let start = 0;
  let last = kindOf(piece, 0);
  for (let at = 1; at < piece.length; at++) {
    const kind = kindOf(piece, at);
    let cut = -1;
    if (kind !== last) {
      if ((kind === 'digit') !== (last === 'digit')) cut = at;
      else if (kind === 'upper') cut = at;
      else if (last === 'upper' && at - 1 > start) cut = at - 1;
    }
    if (cut > start) {
      humps.push({ start: offset + start, end: offset + cut });
      start = cut;
    }
    last = kind;
  }
  humps.push({ start: offset + start, end: offset + piece.length });
  return humps;
}

function kindOf(text: string, at: number): 'upper' | 'lower' | 'digit' {
  const code = text.charCodeAt(at);
  if (code < 128) return code < 58 ? 'digit' : code < 91 ? 'upper' : 'lower';
  const character = text[at] as string;
  return character !== character.toLowerCase() ? 'upper' : 'lower';
}
