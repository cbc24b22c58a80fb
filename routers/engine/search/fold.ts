import { foldLatinLetters } from '../accents.ts';

const ASCII = /^[\x20-\x7e]*$/;

/** Texts are folded in pieces of this length, because normalizing takes quadratic time in a run of combining marks. */
const PIECE_LENGTH = 100;

/**
 * Folds a text for comparison: lower case, without the accents of Latin, Greek and Cyrillic letters. Marks that are letters
 * in their own right, as in Hindi or Thai, stay.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  if (text.length <= PIECE_LENGTH) return foldPiece(text);
  let folded = '';
  for (let start = 0; start < text.length; start += PIECE_LENGTH)
    folded += foldPiece(text.slice(start, start + PIECE_LENGTH));
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
