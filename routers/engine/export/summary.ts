/** Writes the table of contents of an export. */

import { outlineOfFolders } from '../import/folder-outline.ts';
import { indexFiles, isInRoot, locate } from '../import/locate.ts';
import { findReadme, limitDepth, type OutlineNode } from '../import/outline.ts';
import { isMarkdownPath } from '../import/paths.ts';
import { parseSummary, type SummaryEntry } from '../import/summary.ts';
import { outlineOfSummary } from '../import/summary-outline.ts';
import { singleLine } from '../import/text.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';
import { MAX_PAGE_DEPTH } from '../store/depth.ts';
import type { PageNode } from '../store/snapshot.ts';
import type { StoredText } from '../store/texts.ts';
import type { Layout } from './layout.ts';
import { normalizeLineEndings, withLineEndingsOf } from './line-endings.ts';
import { targetsOf } from './page-file.ts';
import { createEntryWriter, type EntryWriter, entryLabel } from './summary-entries.ts';
import { compareEntries, updateLines } from './summary-update.ts';

/**
 * Writes the table of contents for these pages. `given` is the imported one, whose lines stay the same where they still
 * match the pages.
 */
export function writeSummary(
  tree: readonly PageNode[],
  layout: Layout,
  given: StoredText | undefined,
): string {
  const writer = createEntryWriter(layout);
  if (given) {
    const text = normalizeLineEndings(given.text);
    const listed = withoutUnlisted(tree, layout, given);
    const entries = given.entries ?? [];
    const leftOut = leftOutEntries(text, entries, layout);
    const isCorrect = (written: string) => parsesToPages(written, listed, layout, writer, leftOut);
    const compared = compareEntries(text, entries, listed, writer);
    // What is in its place is not parsed again: entries may name files that were left out of the space.
    if (compared === 'in-place' || (compared === 'listed' && isCorrect(text))) return given.text;
    const updated = updateLines(text, entries, listed, writer);
    if (updated !== undefined && isCorrect(updated)) return withLineEndingsOf(given.text, updated);
  }
  const lines = ['# Table of contents', ''];
  writeTop(tree, writer, lines);
  return `${lines.join('\n')}\n`;
}

/** The titles of pages in the imported table of contents, by key. */
export function labelsIn({ text, entries = [] }: StoredText): Map<string, string> {
  const titles = new Map<number, string>();
  const collect = (found: readonly SummaryEntry[]) => {
    for (const entry of found) {
      if (entry.kind !== 'computed' && entry.title !== '') titles.set(entry.line, entry.title);
      collect(entry.children);
    }
  };
  collect(parseSummary(normalizeLineEndings(text), '').summary.entries);
  return new Map(
    entries.flatMap(([line, key]) => {
      const title = titles.get(line);
      return title === undefined ? [] : [[key, title]];
    }),
  );
}

/** Whether the page tree follows from the folders of the files, so that no table of contents is needed. */
export function followsFolders(tree: readonly PageNode[], layout: Layout): boolean {
  const { pages } = targetsOf(layout);
  // An import keeps the place of a page whose file cannot be read, which is not in the export either.
  const unread = [...layout.keys].flatMap(([key, id]) =>
    !layout.pages.has(id) && !key.includes('#') && isMarkdownPath(key) ? [key] : [],
  );
  const paths = [...layout.pages.values(), ...unread];
  const index = indexFiles(paths, layout.root);
  const shape = (nodes: readonly OutlineNode[]): Json =>
    nodes.map(({ key, children }) => [pages.get(key) ?? key, shape(children)]);
  const wanted = (nodes: readonly PageNode[]): Json =>
    nodes.map(({ page, pages: below }) => [page.id, wanted(below)]);
  const outline = outlineOfFolders(paths, index, findReadme(index, layout.readme));
  return canonicalJson(shape(limitDepth(outline, () => undefined))) === canonicalJson(wanted(tree));
}

const readmeOf = (layout: Layout): string | undefined => {
  return findReadme(targetsOf(layout).index, layout.readme);
};

/** Removes the first page if it is the README, and the table of contents does not list it. */
function withoutUnlisted(
  tree: readonly PageNode[],
  layout: Layout,
  { entries = [] }: StoredText,
): readonly PageNode[] {
  const [first, ...rest] = tree;
  if (!first || first.pages.length > 0 || first.page.git === undefined) return tree;
  const { path } = first.page.git;
  const isListed = entries.some(([, key]) => key === path);
  return isListed || path !== readmeOf(layout) || layout.pages.get(first.page.id) !== path ? tree : rest;
}

function writeTop(nodes: readonly PageNode[], writer: EntryWriter, lines: string[]): void {
  let inGroup = false;
  for (const node of nodes) {
    const isGroup = node.page.type === 'group';
    if ((isGroup || inGroup) && lines.at(-1) !== '') lines.push('');
    if (isGroup) lines.push(writer.heading(node.page), '');
    // A rule ends the previous group.
    else if (inGroup) lines.push('***', '');
    inGroup = isGroup;
    writeItems(isGroup ? node.pages : [node], 0, writer, lines);
  }
}

function writeItems(nodes: readonly PageNode[], indent: number, writer: EntryWriter, lines: string[]): void {
  for (const { page, pages } of nodes) {
    for (const line of writer.item(page, indent, '*')) lines.push(line);
    writeItems(pages, indent + 2, writer, lines);
  }
}

/**
 * The targets of entries that an import left out because their files are outside of the root, although entries are nested
 * below them. These files are not in the export, but in the repository that it is for.
 */
function leftOutEntries(text: string, entries: StoredText['entries'] = [], layout: Layout): Set<string> {
  const { index } = targetsOf(layout);
  const imported = new Set(entries.map(([line]) => line));
  const found = new Set<string>();
  const collect = (below: readonly SummaryEntry[]) => {
    for (const entry of below) {
      if (entry.kind === 'link' && entry.children.length > 0 && !imported.has(entry.line)) {
        const location = locate(index, layout.summary, entry.href);
        if (location.kind === 'missing' && !isInRoot(index, location.path)) found.add(entry.href);
      }
      collect(entry.children);
    }
  };
  collect(parseSummary(text, '').summary.entries);
  return found;
}

/** Replaces entries with these targets by the entries below them. */
const withoutEntries = (entries: readonly SummaryEntry[], targets: ReadonlySet<string>): SummaryEntry[] =>
  entries.flatMap((entry) => {
    const children = withoutEntries(entry.children, targets);
    return entry.kind === 'link' && targets.has(entry.href) ? children : [{ ...entry, children }];
  });

/** Whether a table of contents is parsed as these pages, without the entries with targets that were left out. */
function parsesToPages(
  text: string,
  tree: readonly PageNode[],
  layout: Layout,
  writer: EntryWriter,
  leftOut: ReadonlySet<string>,
): boolean {
  const { index } = targetsOf(layout);
  const { summary } = parseSummary(text, layout.summary);
  const entries = withoutEntries(summary.entries, leftOut);
  const { nodes } = outlineOfSummary({ ...summary, entries }, layout.summary, index);
  const read: Json[] = [];
  const flatten = (from: readonly OutlineNode[], depth: number) => {
    for (const { type, path, title, href, computed, children } of from) {
      const hasText = type === 'document' || type === 'group';
      read.push([
        depth,
        hasText
          ? (path ?? singleLine(title ?? ''))
          : (writer.target({ kind: 'link', href, computed }) ?? null),
      ]);
      flatten(children, depth + 1);
    }
  };
  flatten(
    limitDepth(nodes, () => undefined),
    1,
  );
  const wanted: Json[] = [];
  const flattenPages = (from: readonly PageNode[], depth: number) => {
    for (const { page, pages } of from) {
      const hasText = page.type === 'document' || page.type === 'group';
      const target = page.type === 'computed' ? page.computed : (page.target as Json | undefined);
      wanted.push([depth, hasText ? (layout.pages.get(page.id) ?? entryLabel(page)) : (target ?? null)]);
      flattenPages(pages, Math.min(depth + 1, MAX_PAGE_DEPTH));
    }
  };
  flattenPages(tree, 1);
  return canonicalJson(read) === canonicalJson(wanted);
}
