/** Writes the table of contents of an export. */

import { outlineOfFolders } from '../import/folder-outline.ts';
import { indexFiles, isInRoot, locate } from '../import/locate.ts';
import { findReadme, limitDepth, type OutlineNode, titleFromPath } from '../import/outline.ts';
import { isMarkdownPath } from '../import/paths.ts';
import { parseSummary, type SummaryEntry } from '../import/summary.ts';
import { outlineOfSummary } from '../import/summary-outline.ts';
import { singleLine } from '../import/text.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';
import { MAX_PAGE_DEPTH } from '../store/depth.ts';
import type { PageRecord } from '../store/records.ts';
import type { PageNode } from '../store/snapshot.ts';
import type { StoredText } from '../store/texts.ts';
import { type Layout, walkPages } from './layout.ts';
import { normalizeLineEndings, withLineEndingsOf } from './line-endings.ts';
import { targetsOf } from './page-file.ts';
import { createEntryWriter, type EntryWriter, entryLabel } from './summary-entries.ts';
import { compareEntries, preambleOf, updateLines } from './summary-update.ts';

/**
 * Writes the table of contents for these pages. `given` is the imported one, whose lines stay the same where they still
 * match the pages. Links in the navigation to what was deleted are left out, as an import would leave out their entries.
 */
export function writeSummary(
  tree: readonly PageNode[],
  layout: Layout,
  given: StoredText | undefined,
): string {
  const writer = createEntryWriter(layout);
  const linked = withoutBrokenLinks(tree, layout);
  if (!given) return writeAnew(linked, writer, []);
  const text = normalizeLineEndings(given.text);
  const listed = withoutUnlisted(linked, layout, given);
  const entries = given.entries ?? [];
  const incomplete = incompleteEntries(text, entries, layout);
  const isCorrect = (written: string, pages = listed) =>
    parsesToPages(written, pages, layout, writer, incomplete);
  const compared = compareEntries(text, entries, listed, writer);
  // What is in its place is not parsed again: entries may name files that were left out of the space.
  if (compared === 'in-place' || (compared === 'listed' && isCorrect(text))) return given.text;

  const write = (written: string) => withLineEndingsOf(given.text, written);
  const updated = updateLines(text, entries, listed, writer);
  if (updated !== undefined && isCorrect(updated)) return write(updated);
  // The file of an entry that did not become a page may exist now, and a link with entries in it be read as the page.
  const strict = updateLines(text, entries, listed, writer, { strict: true });
  if (strict !== undefined && isCorrect(strict)) return write(strict);
  const anew = writeAnew(linked, writer, preambleOf(text, entries));
  // Where not even that is read as these pages, the lines of the author are worth more.
  return write(updated === undefined || isCorrect(anew, linked) ? anew : updated);
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

/** Removes links to pages, files and reusable contents that no longer exist. */
function withoutBrokenLinks(tree: readonly PageNode[], layout: Layout): readonly PageNode[] {
  const ids = new Set([...walkPages(tree)].map(({ page }) => page.id));
  const isBroken = ({ target }: PageRecord): boolean => {
    if (target === undefined || ('space' in target && target.space !== undefined)) return false;
    if (target.kind === 'file') return !layout.files.has(target.file);
    if (target.kind === 'reusable-content') return !layout.reusableContents.has(target.reusableContent);
    return 'page' in target && target.page !== undefined && !ids.has(target.page);
  };
  const without = (nodes: readonly PageNode[]): PageNode[] =>
    nodes.flatMap((node): PageNode[] =>
      node.page.type === 'link' && isBroken(node.page)
        ? without(node.pages)
        : [{ ...node, pages: without(node.pages) }],
    );
  return without(tree);
}

/** A table of contents in the default style, after these lines of the author. */
function writeAnew(nodes: readonly PageNode[], writer: EntryWriter, preamble: readonly string[]): string {
  const hasText = preamble.some((line) => line.trim() !== '');
  const lines = hasText ? [...preamble] : ['# Table of contents', ''];
  writeTop(nodes, writer, lines);
  return `${lines.join('\n')}\n`;
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

/** Entries whose file is not in the export, although the import read the entries. */
interface IncompleteEntries {
  /**
   * The targets of entries that an import left out because their files are outside of the root, although entries are nested
   * below them. These files are not in the export, but in the repository that it is for.
   */
  leftOut: Set<string>;
  /**
   * Titles and targets of entries whose file is missing. They became empty pages because others were nested below them,
   * and stay as they are when these are gone.
   */
  empty: Set<string>;
}

const nameOf = ({ title, href }: { title: string; href: string }): string => canonicalJson([title, href]);

function incompleteEntries(
  text: string,
  entries: NonNullable<StoredText['entries']>,
  layout: Layout,
): IncompleteEntries {
  const { index } = targetsOf(layout);
  const imported = new Map(entries);
  const found: IncompleteEntries = { leftOut: new Set(), empty: new Set() };
  const collect = (below: readonly SummaryEntry[]) => {
    for (const entry of below) {
      if (entry.kind === 'link' && entry.children.length > 0) {
        const key = imported.get(entry.line);
        const location = locate(index, layout.summary, entry.href);
        if (key !== undefined) {
          const page = layout.keys.get(key);
          if (page !== undefined && !layout.pages.has(page)) found.empty.add(nameOf(entry));
        } else if (location.kind === 'missing' && !isInRoot(index, location.path))
          found.leftOut.add(entry.href);
      }
      collect(entry.children);
    }
  };
  collect(parseSummary(text, '').summary.entries);
  return found;
}

/** Replaces incomplete entries by the entries below them, or by entries without a target. */
function completed(
  entries: readonly SummaryEntry[],
  { leftOut, empty }: IncompleteEntries,
  isMissing: (href: string) => boolean,
): SummaryEntry[] {
  return entries.flatMap((entry): SummaryEntry[] => {
    const children = completed(entry.children, { leftOut, empty }, isMissing);
    if (entry.kind !== 'link') return [{ ...entry, children }];
    if (leftOut.has(entry.href)) return children;
    if (!empty.has(nameOf(entry)) || !isMissing(entry.href)) return [{ ...entry, children }];
    const title = entry.title || titleFromPath(entry.href);
    return [{ kind: 'text', title, line: entry.line, children }];
  });
}

/** Whether a table of contents is parsed as these pages. */
function parsesToPages(
  text: string,
  tree: readonly PageNode[],
  layout: Layout,
  writer: EntryWriter,
  incomplete: IncompleteEntries,
): boolean {
  const { index } = targetsOf(layout);
  const { summary } = parseSummary(text, layout.summary);
  const isMissing = (href: string) => /^(?:missing|folder)$/.test(locate(index, layout.summary, href).kind);
  const entries = completed(summary.entries, incomplete, isMissing);
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
