import { hasLetters, mapTextBetweenTags, unescapeText } from './tagged-text.ts';

/** Accented letters by their base letter. */
const ACCENTED = new Map(
  Array.from(
    'aåbƀcçdđeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqǫrŕsštţuûvṽwŵxẋyýzžAÅBƁCÇDĐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQǪRŔSŠTŢUÛVṼWŴXẊYÝZŽ',
  ).reduce<[string, string][]>((pairs, letter, index, all) => {
    if (index % 2 === 0) pairs.push([letter, all[index + 1] as string]);
    return pairs;
  }, []),
);

/**
 * Pseudo-translates a tagged text: adds accents to its letters and brackets around each run, which shows what would be
 * translated and cannot be mistaken for a translation.
 */
export const pseudoTranslate = (text: string): string => mapTextBetweenTags(text, addBrackets);

function addBrackets(run: string): string {
  if (!hasLetters(unescapeText(run))) return run;
  const words = run.trim();
  const start = run.indexOf(words);
  return `${run.slice(0, start)}⟦${addAccents(words)}⟧${run.slice(start + words.length)}`;
}

/** Adds accents to letters, except those of entities. */
const addAccents = (words: string): string =>
  words.replace(/&(?:amp|lt|gt);|[a-z]/gi, (found) => ACCENTED.get(found) ?? found);
