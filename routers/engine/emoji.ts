import { z } from 'zod';

const EMOJI = /^\p{RGI_Emoji}$/v;

/** The form of an emoji in responses: its code points in hexadecimal, such as `1f468-200d-1f4bb`. */
const CODE_POINTS = /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,9}$/i;

/** A character that is displayed as a plain symbol unless a variation selector follows. */
const UNQUALIFIED = /(?=\p{Emoji})(?!\p{Emoji_Presentation})(?=.(?!\uFE0F|\p{Emoji_Modifier}))./gu;

/**
 * Parses a single emoji, given as the character or as its code points, into the character; undefined if it is not an
 * emoji.
 */
export function parseEmoji(given: string): string | undefined {
  if (given.length > 100) return undefined;
  const points = CODE_POINTS.test(given) ? given.split('-').map((point) => Number.parseInt(point, 16)) : [];
  if (points.some((point) => point > 0x10ffff)) return undefined;
  const text = points.length > 0 ? points.map((point) => String.fromCodePoint(point)).join('') : given;
  const qualified = EMOJI.test(text) ? text : text.replace(UNQUALIFIED, '$&\uFE0F');
  return EMOJI.test(qualified) ? qualified : undefined;
}

/** An emoji from its code points, whether or not it is a known one; any other text as it is. */
export const emojiCharacters = (code: string): string =>
  CODE_POINTS.test(code)
    ? code
        .split('-')
        .map((point) => Number.parseInt(point, 16))
        .filter((point) => point <= 0x10ffff)
        .map((point) => String.fromCodePoint(point))
        .join('')
    : code;

/** The code points of an emoji in responses: lowercase hexadecimal, joined by hyphens. */
export function emojiCodePoints(emoji: string): string {
  let code = '';
  for (const character of emoji) {
    code += `${code && '-'}${(character.codePointAt(0) as number).toString(16)}`;
  }
  return code;
}

/** A single emoji, accepted as the character or as its code points, and stored as the character. */
export const Emoji = z.string().transform((given, context) => {
  const emoji = parseEmoji(given);
  if (emoji !== undefined) return emoji;
  context.addIssue({ code: 'custom', message: 'must be one emoji, as a character or as its code points' });
  return z.NEVER;
});
