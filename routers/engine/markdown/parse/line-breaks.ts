/** How the line breaks of inline content, which are "\n" in its text, were written. */

/** What a line end in a leaf may be written as: a soft or a hard one, with the blanks around it, an element or an entity. */
const BREAK = /^(?:\\?[ \t]*\n[ \t]*|<br ?\/?>|&(?:#[0-9a-zA-Z]{1,8}|NewLine);)$/;

/** The spelling of the line breaks of a text: of all of them, or of each in order. Undefined for the default. */
export function spellBreaks(written: readonly string[], byDefault: string): string | undefined {
  const [first] = written;
  if (written.every((one) => one === first)) return first === byDefault ? undefined : first;
  return written.join('|');
}

/** Returns a function that returns, at each call, how the next line break is written. */
export function breakSpeller(spelling: string, byDefault: string): () => string {
  const written = spelling.split('|');
  let index = 0;
  return () => {
    const next = written[Math.min(index, written.length - 1)];
    index += 1;
    // In cells and headings, a line end would end the block.
    return next !== undefined && BREAK.test(next) && (byDefault.includes('\n') || !next.includes('\n'))
      ? next
      : byDefault;
  };
}

/** The usual line break: a hard one in paragraphs, an element in table cells and headings, which are one line. */
export const defaultBreak = (place: Place): string => (place === 'paragraph' ? '\\\n' : '<br>');

type Place = 'paragraph' | 'heading' | 'cell';

/** How each line break of a text is written. Must be called for all texts in order, since spellings are by order. */
export function breaksOf(
  text: string,
  { place, nextBreak }: { place: Place; nextBreak?: () => string },
): readonly string[] {
  let at = text.indexOf('\n');
  if (at < 0) return NO_BREAKS;
  const breaks: string[] = [];
  for (; at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(nextBreak?.() ?? defaultBreak(place));
  return breaks;
}

const NO_BREAKS: readonly string[] = [];

/** A line break as it was written, or `<br>` where a line end would be lost or would end the paragraph. */
export function lineEnd(written: string, before: string, next: string | undefined): string {
  if (!written.includes('\n')) return written;
  if (next === undefined) return '<br>';
  if (written.startsWith('\\')) return written;
  return isLineStart(before) || next === '\n' ? '<br>' : written;
}

/** Whether what comes after a text is at the start of a line. */
export function isLineStart(before: string): boolean {
  let end = before.length;
  while (end > 0 && (before[end - 1] === ' ' || before[end - 1] === '\t')) end -= 1;
  return end === 0 || before[end - 1] === '\n';
}
