import { type FileIndex, findFile, isInRoot, locate } from './locate.ts';
import { basename, dirname, isFolderPage, isMarkdownPath, isWithin, joinPath, stem } from './paths.ts';
import { type ImportNote, quoted } from './report.ts';
import type { Summary, SummaryEntry } from './summary.ts';
import { singleLine } from './text.ts';

/** A page to be, before its file is read. */
export interface OutlineNode {
  /** Names the page from one import to the next: its path, or something that stays when others are added. */
  key: string;
  type: 'document' | 'group' | 'link' | 'computed';
  /** Its Markdown file; a document without one is empty. */
  path?: string;
  /** Title and link title as the table of contents has them. */
  title?: string;
  linkTitle?: string;
  slug?: string;
  /** Where a link leads: as written, and the file it is written in. */
  href?: string;
  hrefFrom?: string;
  line?: number;
  computed?: Record<string, unknown>;
  children: OutlineNode[];
}

interface Outline {
  nodes: OutlineNode[];
  notes: ImportNote[];
}

/** Whether a file is a page's text, rather than an attachment, reusable content or the table of contents. */
export function isPageFile(index: FileIndex, path: string): boolean {
  return isMarkdownPath(path) && isInRoot(index, path) && !path.split('/').includes('.gitbook');
}

/**
 * Makes the pages that a table of contents lists. An entry that cannot be a page of its own (a file listed before, a
 * place within a page, a file that is not Markdown) becomes a link; one whose file is missing or out of bounds is
 * left out with a note, and what it contains moves up.
 */
export function outlineOfSummary(summary: Summary, summaryPath: string, index: FileIndex): Outline {
  const notes: ImportNote[] = [];
  const taken = new Set<string>();
  const wholePages = new Set<string>();
  collectWholePages(summary.entries, summaryPath, index, wholePages);

  const note = (line: number, severity: ImportNote['severity'], message: string) =>
    notes.push({ file: summaryPath, line, severity, message });

  const build = (entries: SummaryEntry[], parent: OutlineNode | undefined): OutlineNode[] => {
    const nodes: OutlineNode[] = [];
    for (const entry of entries) {
      const node = nodeOf(entry, parent);
      if (!node) {
        nodes.push(...build(entry.children, parent));
        continue;
      }
      nodes.push(node);
      if (node.type === 'document' || node.type === 'group') node.children = build(entry.children, node);
      else if (entry.children.length > 0) {
        note(
          entry.line,
          'warning',
          'A link cannot contain pages; what is nested below it follows it instead.',
        );
        nodes.push(...build(entry.children, parent));
      }
    }
    return nodes;
  };

  const nodeOf = (entry: SummaryEntry, parent: OutlineNode | undefined): OutlineNode | undefined => {
    const named = (type: OutlineNode['type'], name: string): OutlineNode => ({
      key: `${parent?.key ?? ''}#${type}/${name}`,
      type,
      line: entry.line,
      children: [],
    });
    if (entry.kind === 'computed')
      return { ...named('computed', JSON.stringify(entry.computed)), computed: entry.computed };
    if (entry.kind === 'group')
      return { ...named('group', entry.slug ?? entry.title), title: entry.title, slug: entry.slug };
    if (entry.kind === 'text') {
      const type = !parent && entry.children.length > 0 ? 'group' : 'document';
      return { ...named(type, entry.title), title: entry.title };
    }

    const link = (): OutlineNode => ({
      ...named('link', `${entry.title}/${entry.href}`),
      title: entry.title || entry.href,
      href: entry.href,
      hrefFrom: summaryPath,
    });
    const location = locate(index, summaryPath, entry.href);
    const empty = (reason: string): OutlineNode | undefined => {
      if (entry.children.length === 0) {
        note(entry.line, 'error', `${reason}; the entry was left out.`);
        return undefined;
      }
      note(entry.line, 'error', `${reason}; an empty page stands for it, as other pages are nested below.`);
      return {
        ...named('document', entry.title || entry.href),
        title: entry.title || titleFromPath(entry.href),
      };
    };
    switch (location.kind) {
      case 'url':
      case 'anchor':
        return link();
      case 'outside':
        note(entry.line, 'error', `${quoted(entry.href)} leads out of the folder; the entry was left out.`);
        return undefined;
      case 'missing':
        return empty(`${quoted(entry.href)} does not exist`);
      case 'folder':
        return empty(`${quoted(entry.href)} is a folder without a README`);
      case 'file':
        break;
    }
    const { path, anchor } = location;
    if (!isInRoot(index, path) && isMarkdownPath(path)) {
      note(
        entry.line,
        'error',
        `${quoted(path)} is not in the root folder of the documentation; it was left out.`,
      );
      return undefined;
    }
    if (!isPageFile(index, path)) return link();
    if (anchor !== undefined && (wholePages.has(path) || taken.has(path))) return link();
    if (taken.has(path)) {
      note(
        entry.line,
        'warning',
        `${quoted(path)} is listed before; a page has one place, so this became a link.`,
      );
      return link();
    }
    taken.add(path);
    if (anchor !== undefined)
      note(
        entry.line,
        'info',
        `${quoted(path)} is listed by a place in it only; the entry became the whole page.`,
      );
    return {
      key: path,
      type: 'document',
      path,
      title: entry.title || undefined,
      linkTitle: entry.linkTitle,
      line: entry.line,
      children: [],
    };
  };

  const nodes = build(summary.entries, undefined);
  makeKeysUnique(nodes);
  return { nodes, notes };
}

function collectWholePages(entries: SummaryEntry[], from: string, index: FileIndex, into: Set<string>): void {
  for (const entry of entries) {
    if (entry.kind === 'link' && !entry.href.includes('#')) {
      const location = locate(index, from, entry.href);
      if (location.kind === 'file') into.add(location.path);
    }
    collectWholePages(entry.children, from, index, into);
  }
}

/**
 * Makes the pages of a documentation without a table of contents from its folders: a folder's README (or index) is
 * the page of the folder, everything else comes in the natural order of names. A folder without one is an empty page,
 * at the top a group; a file `setup.md` beside a folder `setup/` without README is the page of that folder.
 */
export function outlineOfFolders(
  paths: Iterable<string>,
  index: FileIndex,
  readme: string | undefined,
): OutlineNode[] {
  const files = [...paths].filter((path) => isPageFile(index, path) && path !== readme);
  const members = new Map<string, { files: string[]; folders: Set<string> }>();
  const membersOf = (folder: string) => {
    let found = members.get(folder);
    if (!found) {
      found = { files: [], folders: new Set() };
      members.set(folder, found);
      if (folder !== index.root) membersOf(dirname(folder)).folders.add(folder);
    }
    return found;
  };
  for (const path of files) membersOf(dirname(path)).files.push(path);

  const pageOf = (path: string): OutlineNode => ({ key: path, type: 'document', path, children: [] });
  const build = (folder: string, page: OutlineNode | undefined): OutlineNode[] => {
    const { files, folders } = membersOf(folder);
    const nodes = new Map<string, OutlineNode>();
    for (const path of files) if (path !== page?.path) nodes.set(path, pageOf(path));
    for (const child of folders) {
      const twin = nodes.get(`${child}.md`);
      const own = folderPage(membersOf(child).files);
      const node = own ? pageOf(own) : (twin ?? emptyFolder(child, folder === index.root));
      if (node !== twin) nodes.set(child, node);
      node.children = build(child, node);
    }
    return [...nodes].sort(([a], [b]) => naturally(basename(a), basename(b))).map(([, node]) => node);
  };
  const nodes = build(index.root, undefined);
  return readme === undefined ? nodes : [pageOf(readme), ...nodes];
}

function folderPage(files: string[]): string | undefined {
  const pages = files.filter(isFolderPage);
  return pages.find((path) => /^readme\./i.test(basename(path))) ?? pages[0];
}

function emptyFolder(folder: string, isTop: boolean): OutlineNode {
  // The trailing slash keeps the key apart from a file's, and is how links name a folder.
  return { key: `${folder}/`, type: isTop ? 'group' : 'document', children: [] };
}

const collator = new Intl.Collator('en', { numeric: true });

function naturally(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : 1);
}

function makeKeysUnique(nodes: OutlineNode[], seen = new Map<string, number>()): void {
  for (const node of nodes) {
    const count = (seen.get(node.key) ?? 0) + 1;
    seen.set(node.key, count);
    if (count > 1) node.key = `${node.key}~${count}`;
    makeKeysUnique(node.children, seen);
  }
}

/** The file that is the first page: the one configured, or else the README of the root folder. */
export function findReadme(index: FileIndex, configured: string | undefined): string | undefined {
  if (configured !== undefined) return findFile(index, configured);
  return (
    findFile(index, joinPath(index.root, 'README.md')) ?? findFile(index, joinPath(index.root, 'index.md'))
  );
}

/** A title for a page or folder that has none, made from its name: `02-first_steps` is "First steps". */
export function titleFromPath(path: string): string {
  const name = isFolderPage(path) && dirname(path) !== '' ? basename(dirname(path)) : stem(path);
  const words = singleLine(name)
    .replace(/[-_\s]+/g, ' ')
    .replace(/^\d+[. ]+(?=\S)/, '')
    .trim();
  return words === '' ? singleLine(name) || 'Untitled' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The part of a page's address that its file gives it: the file's name, or the folder's for a README. */
export function slugSource(path: string, root: string): string {
  if (!isFolderPage(path)) return stem(path);
  const folder = dirname(path);
  return folder === root || !isWithin(root, folder) ? stem(path) : basename(folder);
}
