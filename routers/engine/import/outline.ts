import { MAX_PAGE_DEPTH } from '../store/depth.ts';
import { type FileIndex, findFile, isInRoot } from './locate.ts';
import { basename, dirname, isFolderPage, isMarkdownPath, joinPath, stem } from './paths.ts';
import { singleLine } from './text.ts';

/** A planned page, before its file is read. */
export interface OutlineNode {
  /** Identifies the page across imports: its path, or a key that does not change if other pages are added. */
  key: string;
  type: 'document' | 'group' | 'link' | 'computed';
  /** The path of its Markdown file; a document without a file is empty. */
  path?: string;
  /** The title in the table of contents, or of a folder without a page; the link title is in the table of contents. */
  title?: string;
  linkTitle?: string;
  /** The slug of a group with an anchor, or of a folder without a page. */
  slug?: string;
  /** The target of a link, as written. */
  href?: string;
  /** The file in which `href` or `computed` is written. */
  hrefFrom?: string;
  /** The line of its entry in the table of contents. */
  line?: number;
  computed?: Record<string, unknown>;
  children: OutlineNode[];
}

/** Collects the paths of all pages of an outline, in order. */
export function pathsOf(nodes: OutlineNode[], into: string[] = []): string[] {
  for (const node of nodes) {
    if (node.path !== undefined) into.push(node.path);
    pathsOf(node.children, into);
  }
  return into;
}

/**
 * Limits the depth of an outline to {@link MAX_PAGE_DEPTH} levels: deeper pages become siblings after their parent.
 * `onMoved` is called for each page that is moved up.
 */
export function limitDepth(
  nodes: readonly OutlineNode[],
  onMoved: (node: OutlineNode) => void,
): OutlineNode[] {
  const placeAll = (
    from: readonly OutlineNode[],
    into: OutlineNode[],
    depth: number,
    moves: boolean,
  ): void => {
    for (const node of from) {
      const placed: OutlineNode = { ...node, children: [] };
      into.push(placed);
      if (moves) onMoved(node);
      if (depth < MAX_PAGE_DEPTH) placeAll(node.children, placed.children, depth + 1, false);
      else placeAll(node.children, into, depth, true);
    }
  };
  const limited: OutlineNode[] = [];
  placeAll(nodes, limited, 1, false);
  return limited;
}

/** Whether a file can be a page: a Markdown file of the documentation, but not an attachment or reusable content. */
export function isPageFile(index: FileIndex, path: string): boolean {
  return isMarkdownPath(path) && isInRoot(index, path) && !path.split('/').includes('.gitbook');
}

/** Finds the file of the first page: the configured one, or else the README of the root folder. */
export function findReadme(index: FileIndex, configured: string | undefined): string | undefined {
  if (configured !== undefined) return findFile(index, configured);
  return (
    findFile(index, joinPath(index.root, 'README.md')) ?? findFile(index, joinPath(index.root, 'index.md'))
  );
}

/** Derives a title for a page or folder from its name: `02-first_steps` becomes "First steps". */
export function titleFromPath(path: string): string {
  const name = isFolderPage(path) && dirname(path) !== '' ? basename(dirname(path)) : stem(path);
  const words = singleLine(name)
    .replace(/[-_\s]+/g, ' ')
    .replace(/^\d+[. ]+(?=\S)/, '')
    .trim();
  if (words === '') return singleLine(name) || 'Untitled';
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Derives the slug of a page from its path: the name of the file, or of the folder for a README. */
export function slugFromPath(path: string, root: string): string {
  const folder = dirname(path);
  return isFolderPage(path) && folder !== root ? basename(folder) : stem(path);
}
