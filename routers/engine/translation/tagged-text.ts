/**
 * Tagged text, the format in which texts are translated, with the inline tags of XLIFF: `<g1>…</g1>` surrounds text with
 * marks or a link, and `<x2/>` stands for content that is not translated. `&`, `<` and `>` in the text are entities.
 */

/** A node of a tagged text; `id` is the number of its tag. */
export type TaggedNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly id: number }
  | { readonly kind: 'group'; readonly id: number; readonly nodes: readonly TaggedNode[] };

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

/** Decodes entities; what only looks like one stays. */
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

/** A tag, as the source of a regular expression that ignores case. */
export const TAG = '<(/?)([gx])(\\d{1,6})[ ]?(/?)>';
const TAGS = new RegExp(TAG, 'gi');

/** The tags of a text, by number, each with the number of the group around it, if any. */
type TagStructure = ReadonlyMap<
  number,
  { readonly kind: 'placeholder' | 'group'; readonly parent: number | undefined }
>;

interface OpenGroup {
  id: number | undefined;
  nodes: TaggedNode[];
}

/** Parses tagged text; undefined if its tags are not properly nested. */
export function parseTaggedText(text: string): TaggedNode[] | undefined {
  const stack: OpenGroup[] = [{ id: undefined, nodes: [] }];
  /** The number of an `<x1>` that must be closed next. */
  let unclosed: string | undefined;
  let end = 0;
  for (const match of text.matchAll(TAGS)) {
    const [tag, slash, letter, number, selfClosing] = match;
    const isEnd = slash !== '';
    const between = text.slice(end, match.index);
    end = match.index + tag.length;
    const top = stack.at(-1) as OpenGroup;
    if (unclosed !== undefined) {
      // `<x1></x1>`, as HTML serializers write it.
      if (between !== '' || !isEnd || letter?.toLowerCase() !== 'x' || number !== unclosed) return undefined;
      unclosed = undefined;
      continue;
    }
    if (between !== '') top.nodes.push({ kind: 'text', text: unescapeText(between) });
    const id = Number(number);
    if (letter?.toLowerCase() === 'x') {
      if (isEnd) return undefined;
      top.nodes.push({ kind: 'placeholder', id });
      if (selfClosing === '') unclosed = number;
    } else if (isEnd) {
      if (top.id !== id) return undefined;
      stack.pop();
      stack.at(-1)?.nodes.push({ kind: 'group', id, nodes: top.nodes });
    } else {
      const nodes: TaggedNode[] = [];
      if (selfClosing === '') stack.push({ id, nodes });
      else top.nodes.push({ kind: 'group', id, nodes });
    }
  }
  const rest = text.slice(end);
  const [top] = stack;
  if (stack.length > 1 || unclosed !== undefined || !top) return undefined;
  if (rest !== '') top.nodes.push({ kind: 'text', text: unescapeText(rest) });
  return top.nodes;
}

/** Whether nodes contain each expected tag exactly once, in the same group. */
function hasSameTags(nodes: readonly TaggedNode[], expectedTags: TagStructure): boolean {
  const seen = new Set<number>();
  const visit = (inside: readonly TaggedNode[], parent: number | undefined): boolean =>
    inside.every((node) => {
      if (node.kind === 'text') return true;
      const expected = expectedTags.get(node.id);
      // guard: translation-part-group
      if (expected?.kind !== node.kind || expected.parent !== parent || seen.has(node.id)) return false;
      seen.add(node.id);
      return node.kind !== 'group' || visit(node.nodes, node.id);
    });
  // guard: translation-all-parts
  return visit(nodes, undefined) && seen.size === expectedTags.size;
}

/** The tags of a text that this service wrote. */
function tagStructureOf(nodes: readonly TaggedNode[], parent?: number, found = new Map()): TagStructure {
  for (const node of nodes) {
    if (node.kind === 'text') continue;
    found.set(node.id, { kind: node.kind, parent });
    if (node.kind === 'group') tagStructureOf(node.nodes, node.id, found);
  }
  return found;
}

/** Maximum length of a translation relative to its source: beyond it, an engine has written something else. */
const MAX_GROWTH = 8;

/** Additional characters, for translations of short texts. */
const SLACK = 200;

/**
 * Parses the translation of a tagged text; undefined if it cannot be one: it must contain all tags of the source, each in
 * the same group, and text wherever the source has some.
 */
export function parseTranslation(source: string, translation: unknown): readonly TaggedNode[] | undefined {
  if (typeof translation !== 'string' || translation.length > source.length * MAX_GROWTH + SLACK)
    return undefined;
  // The database cannot store these.
  if (translation.includes('\0') || !translation.isWellFormed()) return undefined;
  const nodes = parseTaggedText(translation.trim());
  const original = parseTaggedText(source) ?? [];
  if (!nodes || !hasSameTags(nodes, tagStructureOf(original))) return undefined;
  const groups = groupsWithText(nodes);
  const hasAllText = [...groupsWithText(original)].every((group) => group === undefined || groups.has(group));
  return hasAllText && groups.size > 0 ? nodes : undefined;
}

/** The groups with text directly in them; undefined stands for the text outside all groups. */
function groupsWithText(
  nodes: readonly TaggedNode[],
  group?: number,
  found = new Set<number | undefined>(),
): ReadonlySet<number | undefined> {
  for (const node of nodes) {
    if (node.kind === 'text' && hasLetters(node.text)) found.add(group);
    else if (node.kind === 'group') groupsWithText(node.nodes, node.id, found);
  }
  return found;
}

/** Whether a text without tags contains anything to translate. */
export const hasLetters = (text: string): boolean => /\p{L}/u.test(text);

/** Counts the words of a tagged text. */
export function countWords(text: string): number {
  let words = 0;
  const bare = text.replace(TAGS, ' ');
  for (const _ of unescapeText(bare).matchAll(WORD)) words++;
  return words;
}

/** Matches words, or single characters in scripts without spaces. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu;

/** Maps the text between the tags. */
export function mapTextBetweenTags(text: string, map: (text: string) => string): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(TAGS)) {
    result += map(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + map(text.slice(end));
}
