import { gemoji, nameToEmoji } from 'gemoji';
import { emojiCodePoints } from '../../emoji.ts';

/** An emoji's short name between colons, the underscores escaped or not: not inside words, times, or `a::b`. */
const SHORTCODE = /(?<![A-Za-z0-9:/]):((?:[a-z0-9+-]|\\?_){1,60}):(?![A-Za-z0-9:/])/y;

/** Names by code points, which are compared without variation selectors: only some writers give them. */
const NAMES = new Map(
  gemoji.flatMap(({ emoji, names: [name] }) =>
    name ? [[withoutSelectors(emojiCodePoints(emoji)), name]] : [],
  ),
);

function withoutSelectors(code: string): string {
  return code.replace(/-fe0f/g, '');
}

/** The name of the emoji whose short name begins at an index, as written; undefined if there is none. */
export function shortcodeAt(text: string, index: number): string | undefined {
  SHORTCODE.lastIndex = index;
  const name = SHORTCODE.exec(text)?.[1];
  return name !== undefined && codeOfName(name) !== undefined ? name : undefined;
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
