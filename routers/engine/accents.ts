/** Latin letters whose accent is part of them, so that normalizing does not take it off. */
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

/** A text in lower case without the accents that are part of Latin letters. */
export const withoutLetterAccents = (text: string): string =>
  text.replace(/[ßæœøđðħıłŧþ]/g, (letter) => LETTERS[letter] as string);
