/** Latin letters that Unicode normalization does not decompose into a base letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŧ: 't',
  þ: 'th',
};

/** Replaces these letters in a lower-case text, such as "ß" by "ss". */
export const foldLatinLetters = (text: string): string =>
  text.replace(/[ßæœøđðħıłŧþ]/g, (letter) => LETTERS[letter] as string);
