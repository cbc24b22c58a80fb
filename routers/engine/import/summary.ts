import { isRecord } from '../values.ts';
import { readAtxHeading, readInline } from './inline.ts';
import type { ImportNote } from './report.ts';
import { parseYaml } from './yaml.ts';

/** An entry of a table of contents, as written: targets are neither resolved nor checked. */
export type SummaryEntry = { line: number; children: SummaryEntry[] } & (
  | { kind: 'group'; title: string; slug?: string }
  /** `linkTitle` is the label in navigation instead of the title: the quoted text after the target. */
  | { kind: 'link'; title: string; href: string; linkTitle?: string }
  | { kind: 'text'; title: string }
  | { kind: 'computed'; computed: Record<string, unknown> }
);

export interface Summary {
  /** The heading of the table of contents itself. */
  title?: string;
  entries: SummaryEntry[];
}

/** Maximum nesting of a table of contents; deeper entries move up to the last level. */
const MAX_DEPTH = 32;
const ITEM = /^([ \t]*)(?:[*+-]|\d{1,9}[.)])(?:[ \t](.*))?$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^(`{3,}|~{3,})[ \t]*(\S*)/;

/** Whether a line ends a group. */
export const isRule = (line: string): boolean => RULE.test(line);

/** The indentation of a list item in columns; undefined for any other line. */
export function itemIndent(line: string): number | undefined {
  const item = ITEM.exec(line);
  return item ? columns(item[1] ?? '') : undefined;
}

/**
 * Parses a table of contents (`SUMMARY.md`, with LF line endings): nested lists of links, headings that start a group, rules
 * that end one, and items with fenced YAML for computed pages. An item is nested if it is indented by at least two columns
 * more than the one above, which tolerates tabs and uneven indentation.
 */
export function parseSummary(text: string, file: string): { summary: Summary; notes: ImportNote[] } {
  const notes: ImportNote[] = [];
  const warn = (line: number, message: string) => notes.push({ file, line, severity: 'warning', message });
  const summary: Summary = { entries: [] };
  let siblings = summary.entries;
  let open: { indent: number; entry: SummaryEntry }[] = [];
  const lines = text.split('\n');

  for (let index = 0; index < lines.length; index++) {
    const source = lines[index] ?? '';
    const line = index + 1;
    if (source.trim() === '') continue;

    const heading = readAtxHeading(source);
    if (heading) {
      const { text: title, anchor } = readInline(heading.content);
      open = [];
      if (heading.level === 1 && summary.title === undefined && summary.entries.length === 0) {
        summary.title = title;
      } else if (title === '') {
        siblings = summary.entries;
      } else {
        const group: SummaryEntry = { kind: 'group', title, slug: anchor, line, children: [] };
        summary.entries.push(group);
        siblings = group.children;
      }
      continue;
    }
    if (isRule(source)) {
      open = [];
      siblings = summary.entries;
      continue;
    }
    const item = ITEM.exec(source);
    if (!item) {
      if (/\]\(/.test(source)) warn(line, 'This line has a link but is not a list item, so it was ignored.');
      continue;
    }

    const indent = columns(item[1] ?? '');
    const content = (item[2] ?? '').trim();
    let entry: SummaryEntry | undefined;
    const fence = FENCE.exec(content);
    if (fence) {
      const block = readFence(lines, index, fence[1] ?? '');
      index = block.end;
      entry = computedEntry(block.text, line, warn);
    } else {
      entry = contentEntry(content, line, warn);
    }
    if (!entry) continue;

    while (open.length > 0 && indent < (open.at(-1)?.indent ?? 0) + 2) open.pop();
    if (open.length >= MAX_DEPTH) {
      warn(line, `The table of contents is nested deeper than ${MAX_DEPTH} levels; this entry was moved up.`);
      open = open.slice(0, MAX_DEPTH - 1);
    }
    (open.at(-1)?.entry.children ?? siblings).push(entry);
    open.push({ indent, entry });
  }
  return { summary, notes };
}

type Warn = (line: number, message: string) => void;

function contentEntry(content: string, line: number, warn: Warn): SummaryEntry | undefined {
  const { text, links } = readInline(content.replace(/^\[[ xX]\][ \t]+/, ''));
  const [link, ...others] = links;
  if (!link || link.href === '')
    return text === '' ? undefined : { kind: 'text', title: text, line, children: [] };
  if (others.length > 0) warn(line, 'This entry has several links; the first one was used.');
  const linkTitle = link.title && link.title !== 'mention' ? link.title : undefined;
  return { kind: 'link', title: link.label, href: link.href, linkTitle, line, children: [] };
}

function computedEntry(text: string, line: number, warn: Warn): SummaryEntry | undefined {
  const result = parseYaml(text);
  if ('error' in result) warn(line, `This block ${result.error}; the entry was left out.`);
  else if (!isRecord(result.value) || typeof result.value.type !== 'string')
    warn(line, 'This block does not name the kind of page to compute; the entry was left out.');
  else return { kind: 'computed', computed: result.value, line, children: [] };
  return undefined;
}

/** Reads the text of a fenced block that starts in a list item, without its common indentation. */
function readFence(lines: string[], start: number, fence: string): { text: string; end: number } {
  const body: string[] = [];
  let end = start + 1;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (line.trimStart().startsWith(fence) && /^[`~]+$/.test(line.trim())) break;
    body.push(line.replaceAll('\t', '    '));
  }
  let shared = Number.POSITIVE_INFINITY;
  for (const line of body) if (line.trim() !== '') shared = Math.min(shared, line.search(/\S/));
  return { text: body.map((line) => line.slice(shared)).join('\n'), end };
}

/** The width of an indentation in columns. */
export function columns(whitespace: string): number {
  let width = 0;
  for (const char of whitespace) width = char === '\t' ? width + 4 - (width % 4) : width + 1;
  return width;
}
