/** Updates a table of contents line by line, so that the lines of unchanged pages stay the same. */

import { readAtxHeading } from '../import/inline.ts';
import { columns, isRule, itemIndent, parseSummary, type SummaryEntry } from '../import/summary.ts';
import { longestIncreasing } from '../longest-increasing.ts';
import { canHoldPages, type PageRecord } from '../store/records.ts';
import type { PageNode } from '../store/snapshot.ts';
import { walkPages } from './layout.ts';
import type { EntryWriter } from './summary-entries.ts';

/** A line that does not belong to a page. It may be an entry, with other entries nested below it. */
interface OtherLine {
  line: string;
  /** The number of the line, if it is an entry. */
  entry: number | undefined;
}

/** The lines of one page. */
interface Chunk {
  /** The index in the table of contents. */
  index: number;
  entry: SummaryEntry;
  /** The key of the parent page. */
  parent: string | undefined;
  /** The line of the entry that it is nested in. */
  nestedIn: number | undefined;
  /** The lines before it: blank lines, rules, text, and entries that did not become pages. */
  lead: OtherLine[];
  lines: string[];
  isHeading: boolean;
}

/** An entry in which the following lines can be nested. */
interface OpenEntry {
  indent: number;
  /** The id of the page that is the parent of nested entries; null for the top level. */
  page: string | null;
  /** The line of an entry that is no page of its own, or a link: 0 for a new one, undefined for other entries. */
  line: number | undefined;
}

const keyOf = ({ git, importKey }: PageRecord): string => git?.path ?? importKey ?? '';

/**
 * How a table of contents compares with these pages: `listed` if every page has an entry that matches it, and
 * every entry its page, and `in-place` if all pages also have the places that they were imported to.
 */
export function compareEntries(
  text: string,
  entries: readonly (readonly [line: number, key: string])[],
  tree: readonly PageNode[],
  writer: EntryWriter,
): 'different' | 'listed' | 'in-place' {
  const { chunks } = splitIntoChunks(text, new Map(entries));
  const pages = new Map([...walkPages(tree)].map(({ page }) => [keyOf(page), page]));
  const isListed = pages.entries().every(([key, page]) => {
    const chunk = chunks.get(key);
    return chunk !== undefined && writer.matches(chunk.entry, page);
  });
  // The entry of a deleted page has to go, although an import would leave it out.
  if (!isListed || pages.size < chunks.size) return 'different';
  const unmoved = unmovedChunks(tree, chunks);
  const isInPlace = unmoved.length === chunks.size && unmoved.every((index, place) => index === place);
  return isInPlace ? 'in-place' : 'listed';
}

/**
 * Updates a table of contents (with LF line endings) to these pages; undefined if they cannot be placed among its lines.
 * `entries` are the lines that became pages, with the keys of the pages. With `strict`, all other entries are removed, and
 * those nested in links are placed beside them.
 */
export function updateLines(
  text: string,
  entries: readonly (readonly [line: number, key: string])[],
  tree: readonly PageNode[],
  writer: EntryWriter,
  { strict = false } = {},
): string | undefined {
  const { preamble, chunks, rest } = splitIntoChunks(text, new Map(entries), strict);
  const unmoved = unmovedChunks(tree, chunks);
  const staying = new Set(longestIncreasing(unmoved, (index) => index));
  const carried = carryLeads([...chunks.values()], staying);

  const out = createOutput(preamble, writer, bulletOf(chunks.values()), strict);
  const write = (nodes: readonly PageNode[], parent: string | null): boolean =>
    nodes.every((node) => {
      const chunk = chunks.get(keyOf(node.page));
      if (chunk && staying.has(chunk.index)) out.addOthers(chunk.lead);
      return out.add(node, parent, chunk) && write(node.pages, node.page.id);
    });
  if (!write(tree, null)) return undefined;
  return [...out.lines, ...[...carried, ...rest].map(({ line }) => line)].join('\n');
}

/** The lines before the first entry of a page, without other entries. */
export function preambleOf(
  text: string,
  entries: readonly (readonly [line: number, key: string])[],
): string[] {
  return splitIntoChunks(text, new Map(entries), true).preamble.map(({ line }) => line);
}

/** The indices of entries whose page still has the same parent, in the order of the pages. */
function unmovedChunks(tree: readonly PageNode[], chunks: ReadonlyMap<string, Chunk>): number[] {
  const pages = new Map([...walkPages(tree)].map(({ page }) => [keyOf(page), page]));
  const isLink = (key: string): boolean => {
    const page = pages.get(key);
    return page !== undefined && !canHoldPages(page);
  };
  const holderOf = (chunk: Chunk): string | undefined => {
    let key = chunk.parent;
    // Entries nested in a link became siblings after it.
    while (key !== undefined && isLink(key)) key = chunks.get(key)?.parent;
    return key;
  };
  const found: number[] = [];
  const collect = (nodes: readonly PageNode[], parent: string | undefined) => {
    for (const { page, pages } of nodes) {
      const chunk = chunks.get(keyOf(page));
      if (chunk && holderOf(chunk) === parent) found.push(chunk.index);
      collect(pages, keyOf(page));
    }
  };
  collect(tree, undefined);
  return found;
}

/** Splits a table of contents into the chunks of its pages, by key, and the lines before and after them. */
function splitIntoChunks(text: string, keys: ReadonlyMap<number, string>, onlyPages = false) {
  const lines = text.split('\n');
  const found = new Map<number, SummaryEntry>();
  const places = new Map<number, Pick<Chunk, 'parent' | 'nestedIn'>>();
  const collect = (entries: readonly SummaryEntry[], parent?: string, nestedIn?: number) => {
    for (const entry of entries) {
      found.set(entry.line, entry);
      places.set(entry.line, { parent, nestedIn });
      collect(entry.children, keys.get(entry.line) ?? parent, entry.line);
    }
  };
  collect(parseSummary(text, '').summary.entries);

  const chunks = new Map<string, Chunk>();
  let preamble: OtherLine[] | undefined;
  let lead: OtherLine[] = [];
  for (let at = 0; at < lines.length; at++) {
    const entry = found.get(at + 1);
    const key = keys.get(at + 1);
    if (!entry || key === undefined) {
      if (!entry || !onlyPages) lead.push({ line: lines[at] as string, entry: entry?.line });
      else if (entry.kind === 'computed') at = fenceEnd(lines, at) - 1;
      continue;
    }
    const isHeading = readAtxHeading(lines[at] as string) !== undefined;
    let end = at + 1;
    if (isHeading) while (end < lines.length - 1 && lines[end]?.trim() === '') end++;
    else if (entry.kind === 'computed') end = fenceEnd(lines, at);
    if (preamble === undefined) {
      preamble = lead;
      lead = [];
    }
    const { parent, nestedIn } = places.get(at + 1) ?? {};
    const own = { entry, lines: lines.slice(at, end), isHeading };
    chunks.set(key, { index: chunks.size, parent, nestedIn, lead, ...own });
    lead = [];
    at = end - 1;
  }
  return preamble ? { preamble, chunks, rest: lead } : { preamble: lead, chunks, rest: [] };
}

/** The index of the line after the fenced block that starts in an item. */
function fenceEnd(lines: readonly string[], start: number): number {
  const fence = /[`~]{3,}/.exec(lines[start] ?? '')?.[0] ?? '```';
  let end = start + 1;
  while (end < lines.length - 1 && !(lines[end] ?? '').trimStart().startsWith(fence)) end++;
  return end + 1;
}

/** Moves the leads of pages that were deleted or moved to the next page that stays; returns what is left at the end. */
function carryLeads(chunks: readonly Chunk[], staying: ReadonlySet<number>): OtherLine[] {
  let carried: OtherLine[] = [];
  for (const chunk of chunks) {
    if (staying.has(chunk.index)) {
      chunk.lead = [...carried, ...chunk.lead];
      carried = [];
    } else if (chunk.lead.some(({ line }) => line.trim() !== '')) {
      for (const other of chunk.lead) carried.push(other);
    }
  }
  return carried;
}

function bulletOf(chunks: Iterable<Chunk>): string {
  for (const { lines, isHeading } of chunks) {
    const bullet = /^\s*([*+-])/.exec(lines[0] ?? '')?.[1];
    if (bullet !== undefined && !isHeading) return bullet;
  }
  return '*';
}

function createOutput(preamble: readonly OtherLine[], writer: EntryWriter, bullet: string, strict: boolean) {
  const lines: string[] = [];
  let group: string | null = null;
  let open: OpenEntry[] = [];
  /** The open entries in which an item with this indentation would be nested. */
  const above = (indent: number): OpenEntry[] => {
    let length = open.length;
    while (length > 0 && indent < (open[length - 1] as OpenEntry).indent + 2) length--;
    return open.slice(0, length);
  };
  const holderAt = (indent: number): string | null => {
    const parents = above(indent);
    return parents.length > 0 ? (parents.at(-1) as OpenEntry).page : group;
  };
  const push = (entry: OpenEntry) => {
    open = [...above(entry.indent), entry];
  };
  /** Whether an item is nested in a page with its indentation, and in no link in which it was not nested before. */
  const isPlaceIn = (parent: string | null, indent: number, nestedIn: number | undefined): boolean => {
    const line = above(indent).at(-1)?.line;
    return holderAt(indent) === parent && (line === undefined || (line === nestedIn && !strict));
  };
  const separate = () => {
    if (lines.length > 0 && lines.at(-1)?.trim() !== '') lines.push('');
  };
  /** The indentation with which an item is nested in a page; undefined if there is none. */
  const indentIn = (parent: string | null): number | undefined => {
    for (const { indent } of open.toReversed()) if (holderAt(indent) === parent) return indent;
    const holder = open.findLast((entry) => entry.page === parent);
    if (holder) return holder.indent + 2;
    return holderAt(0) === parent ? 0 : undefined;
  };
  const addLines = (added: readonly string[]) => {
    for (const line of added) lines.push(line);
  };
  const addOthers = (others: readonly OtherLine[]) => {
    for (const { line, entry } of others) {
      lines.push(line);
      const indent = entry === undefined ? undefined : itemIndent(line);
      if (indent !== undefined) push({ indent, page: holderAt(indent), line: entry });
      else if (isRule(line) || readAtxHeading(line)) {
        group = null;
        open = [];
      }
    }
  };
  addOthers(preamble);
  return {
    lines,
    addOthers,
    /** Writes the lines of a page; returns false if it cannot be placed here. */
    add({ page, pages }: PageNode, parent: string | null, chunk: Chunk | undefined): boolean {
      const isHeading = parent === null && page.type === 'group' && (chunk?.isHeading ?? true);
      const matches = chunk !== undefined && writer.matches(chunk.entry, page);
      if (isHeading) {
        if (!chunk) separate();
        addLines(matches ? chunk.lines : [writer.heading(page), ...(chunk?.lines.slice(1) ?? [''])]);
        group = page.id;
        open = [];
        return true;
      }
      const own =
        chunk && !chunk.isHeading ? columns(/^[ \t]*/.exec(chunk.lines[0] ?? '')?.[0] ?? '') : undefined;
      let indent = own !== undefined && isPlaceIn(parent, own, chunk?.nestedIn) ? own : indentIn(parent);
      if (indent === undefined && parent === null) {
        separate();
        lines.push('***', '');
        group = null;
        open = [];
        indent = 0;
      }
      if (indent === undefined) return false;
      if (!matches || own === undefined) addLines(writer.item(page, indent, bulletIn(chunk) ?? bullet));
      else addLines(indent === own ? chunk.lines : shiftIndent(chunk.lines, own, indent));
      const holds = page.type === 'document' || page.type === 'group';
      const line = holds ? undefined : (chunk?.entry.line ?? 0);
      push({ indent, page: holds ? page.id : holderAt(indent), line });
      return pages.length === 0 || holds;
    },
  };
}

const bulletIn = (chunk: Chunk | undefined): string | undefined =>
  chunk && /^\s*([*+-]|\d{1,9}[.)])[ \t]/.exec(chunk.lines[0] ?? '')?.[1];

function shiftIndent(lines: readonly string[], from: number, to: number): string[] {
  return lines.map((line) => {
    const margin = /^[ \t]*/.exec(line)?.[0] ?? '';
    const text = line.slice(margin.length);
    return text === '' ? line : ' '.repeat(Math.max(0, columns(margin) + to - from)) + text;
  });
}
