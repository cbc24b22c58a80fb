import { MAX_PAGE_DEPTH } from '../store/depth.ts';
import { type FileIndex, findFile, isInRoot } from './locate.ts';
import { basename, dirname, isFolderPage, isMarkdownPath, joinPath, stem } from './paths.ts';
import { singleLine } from './text.ts';

/** A planned page, before its file is read. */
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
  /** The target of a link, as written. */
  href?: string;
  /** The file in which `href` or `computed` is written. */
  hrefFrom?: string;
  /** Of the entry in the table of contents. */
  line?: number;
  computed?: Record<string, unknown>;
  children: OutlineNode[];
}

/** The paths of all pages of an outline, in order. */
export function pathsOf(nodes: OutlineNode[], into: string[] = []): string[] {
  for (const node of nodes) {
    if (node.path !== undefined) into.push(node.path);
    pathsOf(node.children, into);
  }
  return into;
}

/**
 * An outline whose pages lie at most {@link MAX_PAGE_DEPTH} levels deep: what is nested deeper follows the page that it is
 * nested in. `onMoved` hears of each page that moves up.
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

/** Whether a file can be a page: Markdown of the documentation, but no attachment and no reusable content. */
export function isPageFile(index: FileIndex, path: string): boolean {
  return isMarkdownPath(path) && isInRoot(index, path) && !path.split('/').includes('.gitbook');
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
  if (words === '') return singleLine(name) || 'Untitled';
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The part of a page's address that its file gives it: the file's name, or the folder's for a README. */
export function slugFromPath(path: string, root: string): string {
  const folder = dirname(path);
  return isFolderPage(path) && folder !== root ? basename(folder) : stem(path);
}
