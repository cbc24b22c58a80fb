import { gemoji, nameToEmoji } from 'gemoji';
import { emojiCodePoints } from '../../emoji.ts';

/** The short name of an emoji between colons, the underscores escaped or not. */
const SHORTCODE = /:((?:[a-z0-9+-]|\\?_){1,60}):/y;
const SHORTCODE_AT_END = /:((?:[a-z0-9+-]|\\?_){1,60}):$/;
/** The maximum length of one with its colons. */
const MAX_SHORTCODE = 122;

/** Names by code points, which are compared without variation selectors: only some writers give them. */
const NAMES = new Map(
  gemoji.flatMap(({ emoji, names: [name] }) =>
    name ? [[withoutSelectors(emojiCodePoints(emoji)), name]] : [],
  ),
);

function withoutSelectors(code: string): string {
  return code.replace(/-fe0f/g, '');
}

/**
 * The name of the emoji whose short name begins at an index, as written; undefined if there is none. It is none after a word, in
 * times and paths, or beside a colon, except that of another emoji, or one at the end of a word.
 */
export function shortcodeAt(text: string, index: number): string | undefined {
  const name = namedAt(text, index);
  if (name === undefined || /[A-Za-z0-9/]/.test(text.charAt(index - 1))) return undefined;
  if (text.charAt(index - 1) === ':' && !endsInShortcode(text, index)) return undefined;
  const end = index + name.length + 2;
  if (/[0-9/]/.test(text.charAt(end))) return undefined;
  const isApart = text.charAt(end) !== ':' || /^(?:$|[\s.,;!?)])/.test(text.charAt(end + 1));
  return isApart || namedAt(text, end) !== undefined ? name : undefined;
}

/** The name of an emoji that is written at an index, whatever is beside it. */
function namedAt(text: string, index: number): string | undefined {
  SHORTCODE.lastIndex = index;
  const name = SHORTCODE.exec(text)?.[1];
  return name !== undefined && codeOfName(name) !== undefined ? name : undefined;
}

/**
 * Whether the short name of an emoji would be text between what is before it and the character after it.
 * @param isBeforeEmoji whether another emoji follows
 */
export function isStuckShortcode(before: string, after: string | undefined, isBeforeEmoji: boolean): boolean {
  if (before.endsWith(':') ? !endsInShortcode(before, before.length) : /[A-Za-z0-9/]$/.test(before))
    return true;
  return after === ':' ? !isBeforeEmoji : /^[0-9/]$/.test(after ?? '');
}

/** Whether a text up to an index ends in the short name of an emoji. */
function endsInShortcode(text: string, end: number): boolean {
  const name = SHORTCODE_AT_END.exec(text.slice(Math.max(0, end - MAX_SHORTCODE), end))?.[1];
  return name !== undefined && codeOfName(name) !== undefined;
}

/** The code points of an emoji by its short name, in which underscores may be escaped. */
export function codeOfName(name: string): string | undefined {
  const plain = name.replaceAll('\\_', '_');
  return Object.hasOwn(nameToEmoji, plain) ? emojiCodePoints(nameToEmoji[plain] as string) : undefined;
}

/** The short name of an emoji by its code points. */
export function nameOfCode(code: string): string | undefined {
  return NAMES.get(withoutSelectors(code.toLowerCase()));
}

const CODE_POINTS = /^[0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,15}$/i;

/** The characters of code points; undefined if they are none. */
export function emojiOfCode(code: string): string | undefined {
  if (!CODE_POINTS.test(code)) return undefined;
  const points = code.split('-').map((point) => Number.parseInt(point, 16));
  const isValid = points.every(
    (point) => point > 0x20 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff),
  );
  return isValid ? points.map((point) => String.fromCodePoint(point)).join('') : undefined;
}

/** Whether a name, as written, is one of the emoji with these code points. */
export function isNameOf(name: string, code: string): boolean {
  const named = codeOfName(name);
  return named !== undefined && withoutSelectors(named) === withoutSelectors(code.toLowerCase());
}
