/**
 * The notation in which texts are translated: plain text, with `<g1>…</g1>` around what is marked or linked, and `<x2/>` for
 * what stays as it is. `&`, `<` and `>` of the text itself are written as entities.
 */

/** A piece of a text in this notation, by its number in what it was written from. */
export type TaggedNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'kept'; readonly part: number }
  | { readonly kind: 'group'; readonly part: number; readonly pieces: readonly TaggedNode[] };

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** The largest code point. */
const MAX_CODE_POINT = 0x10ffff;

/** The text behind entities; what is none stays. */
export const unescapeText = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (entity, decimal, hex, name) => {
      if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= MAX_CODE_POINT && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : entity;
    },
  );

const TAGS = /<(\/?)([gx])(\d{1,6})[ ]?(\/?)>/gi;

/** The parts of a text, each by its number with that of the group around it, if any. */
type TagStructure = ReadonlyMap<
  number,
  { readonly kind: 'kept' | 'group'; readonly parent: number | undefined }
>;

interface OpenGroup {
  part: number | undefined;
  pieces: TaggedNode[];
}

/** Reads the notation; undefined if the tags in it do not belong together. */
export function parseTaggedText(text: string): TaggedNode[] | undefined {
  const stack: OpenGroup[] = [{ part: undefined, pieces: [] }];
  /** The number of a `<x1>` whose end is next. */
  let unclosed: string | undefined;
  let end = 0;
  for (const match of text.matchAll(TAGS)) {
    const [tag, slash, letter, number, selfClosing] = match;
    const isEnd = slash !== '';
    const between = text.slice(end, match.index);
    end = match.index + tag.length;
    const top = stack.at(-1) as OpenGroup;
    if (unclosed !== undefined) {
      // `<x1></x1>`, as parsers of HTML write it.
      if (between !== '' || !isEnd || letter?.toLowerCase() !== 'x' || number !== unclosed) return undefined;
      unclosed = undefined;
      continue;
    }
    if (between !== '') top.pieces.push({ kind: 'text', text: unescapeText(between) });
    const part = Number(number);
    if (letter?.toLowerCase() === 'x') {
      if (isEnd) return undefined;
      top.pieces.push({ kind: 'kept', part });
      if (selfClosing === '') unclosed = number;
    } else if (isEnd) {
      if (top.part !== part) return undefined;
      stack.pop();
      stack.at(-1)?.pieces.push({ kind: 'group', part, pieces: top.pieces });
    } else {
      const pieces: TaggedNode[] = [];
      if (selfClosing === '') stack.push({ part, pieces });
      else top.pieces.push({ kind: 'group', part, pieces });
    }
  }
  const rest = text.slice(end);
  const [top] = stack;
  if (stack.length > 1 || unclosed !== undefined || !top) return undefined;
  if (rest !== '') top.pieces.push({ kind: 'text', text: unescapeText(rest) });
  return top.pieces;
}

/** Whether pieces have each part of a text once, each within the group that it was in. */
function hasSameTags(pieces: readonly TaggedNode[], expectedTags: TagStructure): boolean {
  const seen = new Set<number>();
  const visit = (inside: readonly TaggedNode[], parent: number | undefined): boolean =>
    inside.every((piece) => {
      if (piece.kind === 'text') return true;
      const expected = expectedTags.get(piece.part);
      if (expected?.kind !== piece.kind || expected.parent !== parent || seen.has(piece.part)) return false;
      seen.add(piece.part);
      return piece.kind !== 'group' || visit(piece.pieces, piece.part);
    });
  return visit(pieces, undefined) && seen.size === expectedTags.size;
}

/** The parts of a text in this notation that was written here. */
function tagStructureOf(pieces: readonly TaggedNode[], parent?: number, found = new Map()): TagStructure {
  for (const piece of pieces) {
    if (piece.kind === 'text') continue;
    found.set(piece.part, { kind: piece.kind, parent });
    if (piece.kind === 'group') tagStructureOf(piece.pieces, piece.part, found);
  }
  return found;
}

/** How much longer a translation may be than its source: beyond it, an engine has written something else. */
const MAX_GROWTH = 8;

/** Room for the translation of a short text, in characters. */
const SLACK = 200;

/**
 * The pieces of a translation of a text in this notation; undefined if it cannot be one: it has to have all parts of the
 * text, each within the group that it was in, and words wherever the text has some.
 */
export function parseTranslation(source: string, translation: unknown): readonly TaggedNode[] | undefined {
  if (typeof translation !== 'string' || translation.length > source.length * MAX_GROWTH + SLACK)
    return undefined;
  // No column can hold them.
  if (translation.includes('\0') || !translation.isWellFormed()) return undefined;
  const pieces = parseTaggedText(translation.trim());
  const original = parseTaggedText(source) ?? [];
  if (!pieces || !hasSameTags(pieces, tagStructureOf(original))) return undefined;
  const worded = groupsWithWords(pieces);
  const isWorded = [...groupsWithWords(original)].every((group) => group === undefined || worded.has(group));
  return isWorded && worded.size > 0 ? pieces : undefined;
}

/** The groups that have words of their own; undefined stands for the text around all of them. */
function groupsWithWords(
  pieces: readonly TaggedNode[],
  group?: number,
  found = new Set<number | undefined>(),
): ReadonlySet<number | undefined> {
  for (const piece of pieces) {
    if (piece.kind === 'text' && hasLetters(piece.text)) found.add(group);
    else if (piece.kind === 'group') groupsWithWords(piece.pieces, piece.part, found);
  }
  return found;
}

/** Whether there is anything to translate in a text without tags. */
export const hasLetters = (text: string): boolean => /\p{L}/u.test(text);

/** The words of a text in this notation, for those that count them. */
export function countWords(text: string): number {
  let words = 0;
  const bare = text.replace(TAGS, ' ');
  for (const _ of unescapeText(bare).matchAll(WORD)) words++;
  return words;
}

/** Words; of scripts that are written without spaces, characters. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu;

/** Maps the text between tags. */
export function mapTextBetweenTags(text: string, map: (text: string) => string): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(TAGS)) {
    result += map(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + map(text.slice(end));
}
