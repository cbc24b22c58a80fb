/** Splits texts into terms, for the index and for queries alike. */

import { fold } from './fold.ts';

/** Maximum length of a word in letters; anything longer, such as encoded bytes, is cut off. */
const MAX_WORD = 64;

/** How much of an identifier is split into parts, in UTF-16 code units. */
const MAX_CHUNK = 200;

/** Maximum number of cached stems; most of a text consists of common words. */
const MAX_STEMS = 20_000;

/** How the words of a language are analyzed; see `languages.ts`. */
export interface Language {
  /** Returns the stem of a folded word. */
  stem(word: string): string;
  /** The stop words, folded. */
  stopWords: ReadonlySet<string>;
  /** Whether a stem begins like its words; the stemmers of some languages strip prefixes, too. */
  keepsPrefix: boolean;
}

/**
 * - `word`: a plain word
 * - `whole`: an identifier or compound, such as `Mem_Buf_Limit` or `real-time`; its parts follow as tokens of their own
 * - `part`: a part of the preceding whole
 * - `pair`: two adjacent characters of a script without spaces, or a single one that stands alone
 */
type TokenKind = 'word' | 'whole' | 'part' | 'pair';

export interface Token {
  /** The stem, by which the index lists it. */
  term: string;
  /** The folded word before stemming. */
  word: string;
  kind: TokenKind;
  /** Its position in the text, in UTF-16 code units. */
  start: number;
  end: number;
  /** Of a whole: whether it is joined only by hyphens or apostrophes, as in prose. */
  isProse?: boolean;
}

export interface Analyzer {
  readonly stopWords: ReadonlySet<string>;
  readonly keepsPrefix: boolean;
  /**
   * Returns the tokens of a text in order, in linear time.
   * @param isWanted whether the token of a folded word is needed; stemming takes most of the time
   */
  tokens(text: string, isWanted?: (word: string) => boolean): Token[];
}

/** Scripts without spaces between words. Korean has spaces, but attaches particles to its words. */
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`;
/** A run of such characters, or of words that are joined as in identifiers. */
const CHUNK = new RegExp(
  String.raw`[[${UNSPACED}]&&[\p{L}\p{M}\p{N}]]+|[[\p{L}\p{M}\p{N}_]--[${UNSPACED}]]+(?:[.\-'’][[\p{L}\p{N}_]--[${UNSPACED}]][[\p{L}\p{M}\p{N}_]--[${UNSPACED}]]*)*`,
  'vy',
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v');
/** Whether a text begins with a character of a script without spaces. */
export const isUnspaced = (text: string): boolean => IS_UNSPACED.test(text);

const NUMBERS = /^[\d.]+$/;
const JOINERS = /[._\-'’]+/g;
/** Whether a UTF-16 code unit is one of them. */
const isJoiner = (code: number): boolean =>
  code === 46 || code === 95 || code === 45 || code === 39 || code === 0x2019;
/** What may follow an apostrophe in English without being a word of its own. */
const CLITICS = new Set(['s', 't', 're', 've', 'll', 'd', 'm']);

export function createAnalyzer({ stem, stopWords, keepsPrefix }: Language): Analyzer {
  const stems = new Map<string, string>();
  const stemOf = (word: string): string => {
    let cached = stems.get(word);
    if (cached === undefined) {
      cached = /\d/.test(word) ? word : stem(word) || word;
      if (stems.size >= MAX_STEMS) stems.clear();
      stems.set(word, cached);
    }
    return cached;
  };
  return {
    stopWords,
    keepsPrefix,
    tokens(text, isWanted) {
      const tokens: Token[] = [];
      const add: AddToken = (word, kind, start, end, isProse) => {
        if (word === '' || isWanted?.(word) === false) return;
        const token: Token = { term: kind === 'pair' ? word : stemOf(word), word, kind, start, end };
        if (isProse) token.isProse = true;
        tokens.push(token);
      };
      for (let at = 0; at < text.length; ) {
        const code = text.charCodeAt(at);
        if (isAscii(code) && !isJoined(code)) {
          at++;
          continue;
        }
        // A fast path for plain words, which are most of a text.
        const plainEnd = plainWordEnd(text, at);
        if (plainEnd > at) {
          add(text.slice(at, plainEnd).toLowerCase(), 'word', at, plainEnd);
          at = plainEnd;
          continue;
        }
        CHUNK.lastIndex = at;
        const chunk = CHUNK.exec(text)?.[0];
        if (chunk === undefined) {
          at++;
          continue;
        }
        if (isUnspaced(chunk)) addPairs(chunk, at, add);
        else addWords(chunk, at, add);
        at += chunk.length;
      }
      return tokens;
    },
  };
}

const isAscii = (code: number): boolean => code < 128;
const isLower = (code: number): boolean => code >= 97 && code <= 122;
/** Whether a character is an ASCII letter, a digit or an underscore. */
const isJoined = (code: number): boolean =>
  isLower(code) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;

/**
 * The end of a plain word: ASCII letters, of which only the first may be a capital, with nothing joined to them. Returns the
 * start if there is no such word.
 */
function plainWordEnd(text: string, start: number): number {
  let end = start + 1;
  const first = text.charCodeAt(start);
  if (!isLower(first) && !(first >= 65 && first <= 90)) return start;
  while (end < text.length && isLower(text.charCodeAt(end))) end++;
  if (end - start > MAX_WORD) return start;
  if (end === text.length) return end;
  const next = text.charCodeAt(end);
  if (!isAscii(next) || isJoined(next)) return start;
  // A dot, a hyphen or an apostrophe joins the words on both sides of it.
  if (next !== 46 && next !== 45 && next !== 39) return end;
  const following = text.charCodeAt(end + 1);
  return Number.isNaN(following) || (isAscii(following) && !isJoined(following)) ? end : start;
}

/** Adds a token, given its folded word. */
type AddToken = (word: string, kind: TokenKind, start: number, end: number, isProse?: boolean) => void;

function addPairs(chunk: string, offset: number, add: AddToken): void {
  let [before, start] = ['', offset];
  let end = offset;
  for (const character of chunk) {
    const at = end;
    end += character.length;
    if (before !== '') add(before + character, 'pair', start, end);
    [before, start] = [character, at];
  }
  if (end - offset === before.length) add(before, 'pair', offset, end);
}

function addWords(chunk: string, offset: number, addToken: AddToken): void {
  const add = (kind: TokenKind, text: string, start: number, end: number, isProse?: boolean) =>
    addToken(fold(text.slice(0, MAX_WORD)), kind, offset + start, offset + end, isProse);
  if (NUMBERS.test(chunk)) {
    add('word', chunk, 0, chunk.length);
    return;
  }
  const pieces = splitAtJoiners(chunk.slice(0, MAX_CHUNK));
  const [first] = pieces;
  if (!first) return;
  const clitic = pieces.length === 2 && /['’]/.test(chunk) ? pieces[1] : undefined;
  if (clitic && CLITICS.has(chunk.slice(clitic.start, clitic.end).toLowerCase())) {
    // "user's" counts as "user"; "don't" is one word.
    const isPossessive = chunk.at(-1) === 's' || chunk.at(-1) === 'S';
    const word = isPossessive ? chunk.slice(first.start, first.end) : chunk.replace(JOINERS, '');
    add('word', word, first.start, clitic.end);
    return;
  }
  if (pieces.length === 1 && first.humps.length === 1) {
    add('word', chunk.slice(first.start, first.end), first.start, first.end);
    return;
  }
  // An elision, as in "l'installation", is two words.
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

/** The pieces of a chunk between joiners, each with its camel-case parts. */
function splitAtJoiners(chunk: string): (Range & { humps: Range[] })[] {
  const pieces: (Range & { humps: Range[] })[] = [];
  let start = 0;
  for (let end = 0; end <= chunk.length; end++) {
    if (end < chunk.length && !isJoiner(chunk.charCodeAt(end))) continue;
    if (end > start) pieces.push({ start, end, humps: splitCamelCase(chunk.slice(start, end), start) });
    start = end + 1;
  }
  return pieces;
}

/** Splits at capitals and digits: `barBaz2` into bar, Baz and 2; `HTTPServer` into HTTP and Server. */
function splitCamelCase(piece: string, offset: number): Range[] {
  const humps: Range[] = [];
  let start = 0;
  let last = characterKind(piece, 0);
  for (let at = 1; at < piece.length; at++) {
    const kind = characterKind(piece, at);
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

function characterKind(text: string, at: number): 'upper' | 'lower' | 'digit' {
  const code = text.charCodeAt(at);
  if (code < 128) return code < 58 ? 'digit' : code < 91 ? 'upper' : 'lower';
  const character = text[at] as string;
  return character !== character.toLowerCase() ? 'upper' : 'lower';
}
