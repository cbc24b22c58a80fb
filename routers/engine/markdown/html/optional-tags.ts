/**
 * HTML's rules for end tags that authors may leave out: an element without one ends where another begins, or the one around it ends.
 * What they may not leave out, such as that of bold text, ends with its cell.
 */

/** Elements that end a paragraph where they begin. */
const BLOCKS =
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul';

const wordsOf = (words: string): string[] => words.split(' ');

/** By element, those that end where it begins. */
const ENDED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    [BLOCKS, 'p'],
    ['li', 'li p'],
    ['dt dd', 'dt dd p'],
    ['td th', 'td th'],
    ['tr', 'tr caption colgroup'],
    ['thead tbody tfoot', 'thead tbody tfoot tr caption colgroup'],
    ['caption colgroup', 'caption colgroup'],
    ['option', 'option'],
    ['optgroup', 'option optgroup'],
    ['rt rp', 'rt rp'],
  ].flatMap(([starts = '', ended = '']) => {
    const set = new Set(wordsOf(ended));
    return wordsOf(starts).map((start) => [start, set] as const);
  }),
);

/** Elements whose end tags may be left out. */
const MAY_LACK_END = new Set([...ENDED_BY.values()].flatMap((ended) => [...ended]));

/** Elements of text. Their end tags end nothing else: a paragraph in one of them is a mistake. */
const TEXT_ELEMENTS = new Set(
  wordsOf(
    'a abbr b big cite code del em font i ins kbd label mark q s samp small span strong sub sup tt u var',
  ),
);

/** An element that is open; the innermost is the last of a list. */
export type OpenElement = { readonly tag: string };

/** What the tags of HTML do to the elements that are open. */
export interface TagRules {
  /** Whether mistakes are repaired: a `<` that begins no tag, and elements without an end. */
  repairs: boolean;
  /** Whether a tag of this name is taken for one. */
  isElement(name: string): boolean;
  /** How many open elements, from the innermost, end before a start tag. */
  endedByStartTag(open: readonly OpenElement[], name: string): number;
  /** How many open elements, from the innermost, end before an end tag ends its own. */
  endedByEndTag(open: readonly OpenElement[], name: string): number;
  /** Whether a start tag is that of a part of a table outside of any: what is in it is shown as text. */
  isLoosePart(open: readonly OpenElement[], name: string): boolean;
  /** Whether an end tag ends nothing, and may be left out. */
  isIgnored(open: readonly OpenElement[], name: string): boolean;
}

// Each of these elements ends the one of its kind before it, so that the loops below go through few elements, however many are open.

export const mayLackEnd = (tag: string): boolean => MAY_LACK_END.has(tag);

/** How many open elements, from the innermost, end before a start tag. */
export function endedByStartTag(open: readonly OpenElement[], name: string): number {
  const ended = ENDED_BY.get(name);
  let count = 0;
  for (let depth = 1; ended && depth <= open.length; depth += 1) {
    const tag = open.at(-depth)?.tag ?? '';
    if (!mayLackEnd(tag)) break;
    if (ended.has(tag)) count = depth;
  }
  return count;
}

/** How many open elements, from the innermost, end before an end tag ends its own: those of text only in a cell of a table. */
export function endedByEndTag(open: readonly OpenElement[], name: string): number {
  if (TEXT_ELEMENTS.has(name)) return 0;
  const isCell = name === 'td' || name === 'th';
  for (let depth = 1; depth <= open.length; depth += 1) {
    const tag = open.at(-depth)?.tag ?? '';
    if (tag === name) return depth - 1;
    if (!mayLackEnd(tag) && !(isCell && TEXT_ELEMENTS.has(tag))) break;
  }
  return 0;
}

/** Whether an end tag is that of a paragraph which a block has ended already: there is nothing left that it would end. */
const isLateEnd = (open: readonly OpenElement[], name: string): boolean =>
  name === 'p' && !open.some(({ tag }) => tag === 'p');

/** The rules of well-formed HTML. */
export const STRICT_RULES: TagRules = {
  repairs: false,
  // An element that is closed was meant as one.
  isElement: () => true,
  endedByStartTag,
  endedByEndTag,
  isLoosePart: () => false,
  isIgnored: isLateEnd,
};
