/** Gives template tags lines of their own where formatters have joined them with the text next to them. */

import { ruleOfTag } from '../tags.ts';
import { TAG_NAME } from './block-rules.ts';
import { contentLines, LINE_BEGINNING, pairTags } from './tag-pairs.ts';

/** The lines that a source is read as. */
export interface SourceLines {
  readonly lines: readonly string[];
  /**
   * What stands in the source before each line that does not begin there, in place of a line end and of the blanks and quotation
   * marks that begin the line here.
   */
  readonly separators: ReadonlyMap<number, string>;
  /** The lines with a tag that shares its line in the source. */
  readonly tags: readonly number[];
}

/** A place in a line at which a tag begins. */
interface TagPlace {
  line: number;
  start: number;
  end: number;
  name: string;
  isClose: boolean;
}

export const plainLines = (source: string): SourceLines => ({
  lines: source.split('\n'),
  separators: new Map(),
  tags: [],
});

/**
 * Splits a source into lines, and those that have template tags together with text, or with other tags, into one for each. Only
 * tags with a partner are split off: an opening one where a line begins or after another tag, and its end where a line ends or
 * before another tag.
 */
export function splitTagLines(source: string): SourceLines {
  const plain = plainLines(source);
  if (!source.includes('{%')) return plain;
  const tags = [...contentLines(plain.lines, LINE_BEGINNING)].flatMap(({ number, line, column }) =>
    line.includes('{%', column) ? tagsOf(line, number, column) : [],
  );
  const partners = pairTags(tags);
  const places = Map.groupBy(
    tags.filter((tag) => partners.has(tag)),
    ({ line }) => line,
  );
  const lines: string[] = [];
  const separators = new Map<number, string>();
  const split: number[] = [];
  for (const [number, line] of plain.lines.entries()) {
    const shared = places.get(number);
    const parts = shared ? partsOf(line, shared) : [];
    if (parts.length < 2) {
      lines.push(line);
      continue;
    }
    const beginning = (LINE_BEGINNING.exec(line)?.[0] ?? '').replace(/[^ \t>]/g, ' ');
    for (const [index, { text, separator, isTag }] of parts.entries()) {
      if (index > 0) separators.set(lines.length, separator);
      if (isTag) split.push(lines.length);
      lines.push(index > 0 ? beginning + text : text);
    }
  }
  return split.length > 0 ? { lines, separators, tags: split } : plain;
}

/** The source of some of the lines, from which the markers of their containers may have been removed. */
export const joinLines = (lines: readonly string[], first: number, source: SourceLines): string =>
  lines
    .map((line, index) => {
      const number = first + index;
      const text = source.separators.has(number) ? line.replace(/^[ \t>]+/, '') : line;
      return index > 0 ? separatorBefore(number, source) + text : text;
    })
    .join('');

/** What separates a line from the one before in the source. */
export const separatorBefore = (number: number, { separators }: SourceLines): string =>
  separators.get(number) ?? '\n';

function tagsOf(line: string, number: number, from: number): TagPlace[] {
  const found: TagPlace[] = [];
  let start = -1;
  let next = line.indexOf('{%', from);
  for (let close = line.indexOf('%}', from); close !== -1; close = line.indexOf('%}', close + 2)) {
    const last = start;
    for (; next !== -1 && next < close; next = line.indexOf('{%', next + 2)) start = next;
    if (start === last) continue;
    const written = TAG_NAME.exec(line.slice(start + 2, close).trimStart())?.[0] ?? '';
    const isClose = written.startsWith('end');
    const name = isClose ? written.slice('end'.length) : written;
    if (mayShareLine(name) && line[start - 1] !== '\\')
      found.push({ line: number, start, end: close + 2, name, isClose });
  }
  const areBlank = (start: number, end: number) => line.slice(start, end).trim() === '';
  return found.filter(({ start, end, isClose }, index) =>
    isClose
      ? areBlank(end, found[index + 1]?.start ?? line.length)
      : areBlank(found[index - 1]?.end ?? from, start),
  );
}

/** Conditions are not split off, as other tools have them within sentences, nor what contains code, which has its own lines. */
function mayShareLine(name: string): boolean {
  const body = ruleOfTag(name)?.body;
  return name !== 'if' && name !== 'prompt' && (body === 'blocks' || body === 'caption' || body === 'label');
}

const TAG_START = /\{%\s*(?:end)?([a-zA-Z][\w-]*)/y;

/** Whether what begins at an index of a text may be read as a tag that shares its line. */
export function isSharedTagAt(text: string, index: number): boolean {
  if (text[index + 1] !== '%') return false;
  TAG_START.lastIndex = index;
  return mayShareLine(TAG_START.exec(text)?.[1] ?? '');
}

type Part = { text: string; separator: string; isTag: boolean };

/** The parts of a line: its tags, and what is between them, each with the blanks that separate it from the one before; none if it cannot be split. */
function partsOf(line: string, tags: readonly TagPlace[]): Part[] {
  const beginning = LINE_BEGINNING.exec(line)?.[0].length ?? 0;
  const end = line.trimEnd().length;
  const parts: Part[] = [];
  let last = beginning;
  const add = (from: number, to: number, isTag: boolean) => {
    const text = line.slice(from, to).trim();
    if (text === '') return;
    const at = line.indexOf(text, from);
    parts.push({ text, separator: line.slice(last, at), isTag });
    last = at + text.length;
  };
  for (const { start, end } of tags) {
    add(last, start, false);
    add(start, end, true);
  }
  add(last, end, false);
  // A `>` at the beginning of a part would be read as a quotation mark of the line.
  if (parts.some(({ text }) => text.startsWith('>'))) return [];
  const [first, final] = [parts[0], parts.at(-1)];
  if (first) first.text = line.slice(0, beginning) + first.text;
  if (final) final.text += line.slice(end);
  return parts;
}
