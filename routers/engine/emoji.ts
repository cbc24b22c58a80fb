import { z } from 'zod';

/** One picture of an emoji: a symbol with its presentation and skin tone, a flag, or a keycap. */
const ELEMENT = String.raw`(?:\p{Regional_Indicator}\p{Regional_Indicator}|[0-9#*]\uFE0F?\u20E3|\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?(?:[\u{E0020}-\u{E007E}]+\u{E007F})?)`;
const EMOJI = new RegExp(`^${ELEMENT}(?:\u200D${ELEMENT})*$`, 'u');

/** The other way to name an emoji: its code points in hexadecimal, for example `1f1eb-1f1f7`. */
const CODE_POINTS = /^[0-9a-f]{2,5}(?:-[0-9a-f]{2,5})*$/i;

const fromCodePoints = (text: string) =>
  String.fromCodePoint(...text.split('-').map((point) => Number.parseInt(point, 16)));

/** One emoji, given as the character or as its code points, and kept as the character. */
export const Emoji = z
  .string()
  .max(50)
  .transform((given) => (CODE_POINTS.test(given) ? fromCodePoints(given) : given))
  .refine((emoji) => EMOJI.test(emoji), 'must be one emoji, as a character or as its code points');
