/** Endings that are removed, longest first, if at least this many characters remain. */
const ENDINGS = [
  ['ations', 4],
  ['ation', 4],
  ['ingly', 4],
  ['ments', 4],
  ['ement', 4],
  ['ment', 4],
  ['ions', 4],
  ['ings', 3],
  ['ness', 4],
  ['ies', 3],
  ['ing', 3],
  ['ion', 4],
  ['ers', 4],
  ['ed', 3],
  ['er', 4],
  ['es', 3],
  ['en', 4],
  ['ly', 4],
  ['e', 3],
  ['s', 3],
  ['y', 3],
] as const;

/** Removes the ending of a word, so that its forms are the same keyword. */
export function stemOf(word: string): string {
  for (const [ending, least] of ENDINGS) {
    if (word.length - ending.length < least || !word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    // So that "running" becomes "run".
    return stem.length > least && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem;
  }
  return word;
}
