/** What tells which template tags belong together. */

/** What a line begins with: blanks, and the markers of quotations and lists. */
export const LINE_BEGINNING = /^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*/;

const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^([ \t>]*)(`{3,}|~{3,})[ \t]*$/;

/** A line outside of fenced code, and the column at which its content begins. */
interface ContentLine {
  number: number;
  line: string;
  column: number;
}

/** The lines outside of fenced code. @param beginning what may come before the content of a line */
export function* contentLines(lines: readonly string[], beginning: RegExp): Generator<ContentLine> {
  let fence: { marker: string; isQuoted: boolean } | undefined;
  for (const [number, line] of lines.entries()) {
    if (fence) {
      const [, before = '', marker = ''] = FENCE_END.exec(line) ?? [];
      if (marker.startsWith(fence.marker) && before.includes('>') === fence.isQuoted) fence = undefined;
      continue;
    }
    const column = beginning.exec(line)?.[0].length ?? 0;
    const [, marker] = FENCE.exec(line.slice(column)) ?? [];
    if (marker === undefined) yield { number, line, column };
    else fence = { marker, isQuoted: line.slice(0, column).includes('>') };
  }
}

interface Tag {
  name: string;
  isClose: boolean;
}

/** Finds the partner of each tag that has one, in one pass: an end closes the nearest open tag of its name and drops those inside. */
export function pairTags<T extends Tag>(tags: Iterable<T>): Map<T, T> {
  const partners = new Map<T, T>();
  const open: T[] = [];
  const counts = new Map<string, number>();
  for (const tag of tags) {
    const count = counts.get(tag.name) ?? 0;
    if (!tag.isClose) {
      open.push(tag);
      counts.set(tag.name, count + 1);
      continue;
    }
    if (count === 0) continue;
    for (let entry = open.pop(); entry; entry = open.pop()) {
      counts.set(entry.name, (counts.get(entry.name) ?? 1) - 1);
      if (entry.name !== tag.name) continue;
      partners.set(entry, tag).set(tag, entry);
      break;
    }
  }
  return partners;
}
