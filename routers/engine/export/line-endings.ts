/** Line endings and byte order marks: they are removed before texts are processed, and restored afterwards. */

const BOM = '\ufeff';

/** Removes the byte order mark of a text, and converts its line endings to LF. */
export const normalizeLineEndings = (text: string): string =>
  (text.startsWith(BOM) ? text.slice(1) : text).replace(/\r\n?/g, '\n');

/**
 * Gives the new version of a file, with LF line endings, the byte order mark and line endings of the file. If the file has
 * mixed line endings, lines before and after the change keep theirs, and added lines get the most frequent one.
 */
export function withLineEndingsOf(file: string, text: string): string {
  const mark = file.startsWith(BOM) ? BOM : '';
  if (!file.includes('\r')) return mark + text;
  const given = splitLines(file.slice(mark.length));
  const counts = new Map<string, number>();
  for (const [, end] of given) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  const [usual = '\n'] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  if (counts.size <= 1) return mark + text.replaceAll('\n', usual);

  const lines = text.split('\n');
  const last = lines.length - 1;
  const shared = Math.min(given.length, lines.length);
  let before = 0;
  while (before < shared && given[before]?.[0] === lines[before]) before++;
  let after = 0;
  while (after < shared - before && given.at(-1 - after)?.[0] === lines[last - after]) after++;
  const written = lines.map((line, index) => {
    if (index === last) return line;
    const fromEnd = given.length - 1 - (last - index);
    const old = index < before ? index : index > last - after || fromEnd === index ? fromEnd : -1;
    return line + (given[old]?.[1] || usual);
  });
  return mark + written.join('');
}

/** Splits a text into lines, each with its line ending; the last one has none. */
function splitLines(text: string): [line: string, end: string][] {
  const lines: [string, string][] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n?|\n/g)) {
    lines.push([text.slice(start, match.index), match[0]]);
    start = match.index + match[0].length;
  }
  lines.push([text.slice(start), '']);
  return lines;
}

/** A text (with LF line endings) with the line endings that it needs to end with a blank line. */
export function withBlankLine(text: string): string {
  if (/\n[ \t]*\n$/.test(text)) return text;
  return text.endsWith('\n') ? `${text}\n` : `${text}\n\n`;
}
