import { type FileIndex, isInRoot, locate } from './locate.ts';
import { isPageFile, type OutlineNode, titleFromPath } from './outline.ts';
import { isMarkdownPath } from './paths.ts';
import { type ImportNote, quote } from './report.ts';
import type { Summary, SummaryEntry } from './summary.ts';

type LinkEntry = SummaryEntry & { kind: 'link' };

interface OutlineBuild {
  index: FileIndex;
  summaryPath: string;
  /** Files that are listed without an anchor, each with the entry that becomes the page. */
  wholePages: ReadonlyMap<string, LinkEntry>;
  /** Paths of files that have already become pages. */
  usedPaths: Set<string>;
  notes: ImportNote[];
}

/**
 * Builds the outline of a table of contents. An entry that cannot be a page of its own (a file that is already listed, an
 * anchor on a page, a file that is not Markdown) becomes a link. An entry whose file is missing or outside of the source is
 * left out with a note, and its children move up.
 */
export function outlineOfSummary(
  summary: Summary,
  summaryPath: string,
  index: FileIndex,
): { nodes: OutlineNode[]; notes: ImportNote[] } {
  const wholePages = new Map<string, LinkEntry>();
  const [landing] = summary.entries;
  collectWholePages(summary.entries, { index, from: summaryPath, landing }, wholePages);
  const build: OutlineBuild = { index, summaryPath, wholePages, usedPaths: new Set(), notes: [] };
  const nodes = buildNodes(build, summary.entries, undefined);
  makeKeysUnique(nodes, new Map());
  return { nodes, notes: build.notes };
}

/**
 * Of several entries for a file, the first with children becomes the page, or else the first; the others become links to it.
 * The landing page, which is the first entry, stays where it is.
 */
function collectWholePages(
  entries: SummaryEntry[],
  within: { index: FileIndex; from: string; landing: SummaryEntry | undefined },
  into: Map<string, LinkEntry>,
): void {
  const { index, from, landing } = within;
  for (const entry of entries) {
    if (entry.kind === 'link' && !entry.href.includes('#')) {
      const location = locate(index, from, entry.href);
      if (location.kind === 'file') {
        const known = into.get(location.path);
        const isOnlyLink = known?.children.length === 0 && known !== landing && entry.children.length > 0;
        if (!known || isOnlyLink) into.set(location.path, entry);
      }
    }
    collectWholePages(entry.children, within, into);
  }
}

function buildNodes(
  build: OutlineBuild,
  entries: SummaryEntry[],
  parent: OutlineNode | undefined,
): OutlineNode[] {
  const nodes: OutlineNode[] = [];
  for (const entry of entries) {
    const node = nodeOf(build, entry, parent);
    if (node) nodes.push(node);
    if (node?.type === 'document' || node?.type === 'group') {
      node.children = buildNodes(build, entry.children, node);
      continue;
    }
    if (node && entry.children.length > 0)
      note(
        build,
        entry,
        'warning',
        'A link cannot contain pages; what is nested below it follows it instead.',
      );
    for (const child of buildNodes(build, entry.children, parent)) nodes.push(child);
  }
  return nodes;
}

function nodeOf(
  build: OutlineBuild,
  entry: SummaryEntry,
  parent: OutlineNode | undefined,
): OutlineNode | undefined {
  switch (entry.kind) {
    case 'computed':
      return {
        ...namedNode('computed', JSON.stringify(entry.computed), entry, parent),
        computed: entry.computed,
        hrefFrom: build.summaryPath,
      };
    case 'group':
      return {
        ...namedNode('group', entry.slug ?? entry.title, entry, parent),
        title: entry.title,
        slug: entry.slug,
      };
    case 'text': {
      // Groups can only be at the top level; below it, an entry without a link becomes an empty page.
      const type = !parent && entry.children.length > 0 ? 'group' : 'document';
      return { ...namedNode(type, entry.title, entry, parent), title: entry.title };
    }
    case 'link':
      return nodeOfLink(build, entry, parent);
  }
}

function nodeOfLink(
  build: OutlineBuild,
  entry: LinkEntry,
  parent: OutlineNode | undefined,
): OutlineNode | undefined {
  const { index, summaryPath, wholePages, usedPaths } = build;
  const location = locate(index, summaryPath, entry.href);
  switch (location.kind) {
    case 'url':
    case 'anchor':
      return linkNode(build, entry, parent);
    case 'outside':
      note(build, entry, 'error', `${quote(entry.href)} leads out of the folder; the entry was left out.`);
      return undefined;
    case 'missing':
      return emptyNode(build, entry, parent, `${quote(entry.href)} does not exist`);
    case 'folder':
      return emptyNode(build, entry, parent, `${quote(entry.href)} is a folder without a README`);
    case 'file':
      break;
  }
  const { path, anchor } = location;
  if (isMarkdownPath(path) && !isInRoot(index, path)) {
    const message = `${quote(path)} is not in the root folder of the documentation; it was left out.`;
    note(build, entry, 'error', message);
    return undefined;
  }
  if (!isPageFile(index, path)) return linkNode(build, entry, parent);
  if (anchor !== undefined && (wholePages.has(path) || usedPaths.has(path)))
    return linkNode(build, entry, parent);
  const place = wholePages.get(path);
  if (usedPaths.has(path) || (place && place !== entry)) {
    const other = usedPaths.has(path) ? 'already listed' : 'listed again with pages below it';
    const message = `${quote(path)} is ${other}; a page has one place, so this became a link.`;
    note(build, entry, 'warning', message);
    return linkNode(build, entry, parent);
  }
  usedPaths.add(path);
  if (anchor !== undefined) {
    const message = `${quote(path)} is listed only by an anchor in it; the entry became the whole page.`;
    note(build, entry, 'info', message);
  }
  return {
    key: path,
    type: 'document',
    path,
    title: entry.title || undefined,
    linkTitle: entry.linkTitle,
    line: entry.line,
    children: [],
  };
}

function linkNode(build: OutlineBuild, entry: LinkEntry, parent: OutlineNode | undefined): OutlineNode {
  return {
    ...namedNode('link', `${entry.title}/${entry.href}`, entry, parent),
    title: entry.title || entry.href,
    href: entry.href,
    hrefFrom: build.summaryPath,
  };
}

/** Replaces a missing page by an empty one if it has children. */
function emptyNode(
  build: OutlineBuild,
  entry: LinkEntry,
  parent: OutlineNode | undefined,
  reason: string,
): OutlineNode | undefined {
  if (entry.children.length === 0) {
    note(build, entry, 'error', `${reason}; the entry was left out.`);
    return undefined;
  }
  const message = `${reason}; an empty page takes its place, because other pages are nested below it.`;
  note(build, entry, 'error', message);
  const title = entry.title || titleFromPath(entry.href);
  return { ...namedNode('document', title, entry, parent), title, linkTitle: entry.linkTitle };
}

/** Creates a node without a file; its key is derived from its name and the key of its parent. */
function namedNode(
  type: OutlineNode['type'],
  name: string,
  entry: SummaryEntry,
  parent: OutlineNode | undefined,
): OutlineNode {
  return { key: `${parent?.key ?? ''}#${type}/${name}`, type, line: entry.line, children: [] };
}

function note(
  build: OutlineBuild,
  entry: SummaryEntry,
  severity: ImportNote['severity'],
  message: string,
): void {
  build.notes.push({ file: build.summaryPath, line: entry.line, severity, message });
}

function makeKeysUnique(nodes: OutlineNode[], seen: Map<string, number>): void {
  for (const node of nodes) {
    const count = (seen.get(node.key) ?? 0) + 1;
    seen.set(node.key, count);
    if (count > 1) node.key = `${node.key}~${count}`;
    makeKeysUnique(node.children, seen);
  }
}
