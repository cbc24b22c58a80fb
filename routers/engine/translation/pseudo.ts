import { hasLetters, mapTextBetweenTags, unescapeText } from './tagged-text.ts';

/** Letters with an accent, by the letter. */
const ACCENTED = new Map(
  Array.from(
    'aåbƀcçdđeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqǫrŕsštţuûvṽwŵxẋyýzžAÅBƁCÇDĐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQǪRŔSŠTŢUÛVṼWŴXẊYÝZŽ',
  ).reduce<[string, string][]>((pairs, letter, index, all) => {
    if (index % 2 === 0) pairs.push([letter, all[index + 1] as string]);
    return pairs;
  }, []),
);

/**
 * A text in the notation as a pseudo-translation: the same words with accents, and brackets around each run of them, which
 * shows what gets translated, and that it is no translation.
 */
export const pseudoTranslate = (text: string): string => mapTextBetweenTags(text, addBrackets);

function addBrackets(run: string): string {
  if (!hasLetters(unescapeText(run))) return run;
  const words = run.trim();
  const start = run.indexOf(words);
  return `${run.slice(0, start)}⟦${addAccents(words)}⟧${run.slice(start + words.length)}`;
}

/** Entities stay, as they stand for one character. */
const addAccents = (words: string): string =>
  words.replace(/&(?:amp|lt|gt);|[a-z]/gi, (found) => ACCENTED.get(found) ?? found);
