/** The JSON in what somebody has written, from the first bracket to the last; undefined if there is none. */
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
