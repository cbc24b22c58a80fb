/** Parses the JSON in a text, from the first opening bracket to the last closing one; undefined if there is none. */
export function extractJson(text: string, bracket: '[' | '{'): unknown {
  const start = text.indexOf(bracket);
  const end = text.lastIndexOf(bracket === '[' ? ']' : '}');
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}
