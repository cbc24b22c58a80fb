import { foldLatinLetters } from '../accents.ts';

const ASCII = /^[\x20-\x7e]*$/;

/** Normalizing is quadratic in a run of combining marks, so a text is folded in pieces of this length. */
const PIECE = 100;

/**
 * A text as it is compared: lower case, without the accents of Latin, Greek and Cyrillic letters. Marks that are letters of
 * their own, as in Hindi or Thai, stay.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  if (text.length <= PIECE) return foldPiece(text);
  let folded = '';
  for (let start = 0; start < text.length; start += PIECE)
    folded += foldPiece(text.slice(start, start + PIECE));
  return folded;
}

const foldPiece = (text: string): string =>
  foldLatinLetters(
    text
      .normalize('NFKD')
      .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
      .toLowerCase()
      .normalize('NFC'),
  );
