/** The texts to use if a table only has those of a similar language. Norwegian browsers name the written form that they prefer. */
const SIMILAR = new Map([
  ['pt', 'pt-br'],
  ['nb', 'no'],
  ['nn', 'no'],
]);

/**
 * The first of some language tags, preferred first, for which a table has texts: those of the tag itself, of its language
 * without region and script, or of a similar one.
 * @param table the texts by language tag in lower case
 * @returns the texts and their tag in the table; undefined if there are none
 */
export function pickLanguage<Texts>(
  table: Readonly<Record<string, Texts>>,
  tags: readonly string[],
): { code: string; texts: Texts } | undefined {
  for (const tag of tags) {
    const full = tag.toLowerCase();
    const language = full.split('-')[0] ?? '';
    for (const code of [full, language, SIMILAR.get(language) ?? ''])
      if (Object.hasOwn(table, code)) return { code, texts: table[code] as Texts };
  }
  return undefined;
}
