import type { FileIndex } from './locate.ts';
import { isPageFile, type OutlineNode, titleFromPath } from './outline.ts';
import { basename, dirname, isFolderPage, isHidden } from './paths.ts';

interface Folder {
  files: string[];
  folders: Set<string>;
}

/**
 * Builds the outline of a documentation without a table of contents from its folders. The README (or index) of a folder
 * becomes the page of the folder; everything else is in natural order of names. A folder without a README becomes an empty
 * page or, at the top level, a group, unless there is a file `setup.md` next to a folder `setup/`: then that is its page.
 */
export function outlineOfFolders(
  paths: Iterable<string>,
  index: FileIndex,
  readme: string | undefined,
): OutlineNode[] {
  const folders = new Map<string, Folder>([[index.root, { files: [], folders: new Set() }]]);
  for (const path of paths)
    if (path !== readme && isPageFile(index, path) && !isHidden(path))
      folderAt(folders, dirname(path)).files.push(path);
  const nodes = buildFolder(folders, index.root, undefined, index.root);
  return readme === undefined ? nodes : [pageNode(readme), ...nodes];
}

function folderAt(folders: Map<string, Folder>, path: string): Folder {
  const known = folders.get(path);
  if (known) return known;
  const folder: Folder = { files: [], folders: new Set() };
  folders.set(path, folder);
  folderAt(folders, dirname(path)).folders.add(path);
  return folder;
}

function buildFolder(
  folders: Map<string, Folder>,
  path: string,
  page: OutlineNode | undefined,
  root: string,
): OutlineNode[] {
  const folder = folderAt(folders, path);
  const nodes = new Map<string, OutlineNode>();
  for (const file of folder.files) if (file !== page?.path) nodes.set(file, pageNode(file));
  for (const child of folder.folders) {
    const own = folderPage(folderAt(folders, child).files);
    const samePage = nodes.get(`${child}.md`);
    const node = own ? pageNode(own) : (samePage ?? emptyNode(child, path === root));
    if (node !== samePage) nodes.set(child, node);
    node.children = buildFolder(folders, child, node, root);
  }
  return [...nodes].sort(([a], [b]) => compareNaturally(basename(a), basename(b))).map(([, node]) => node);
}

function pageNode(path: string): OutlineNode {
  return { key: path, type: 'document', path, children: [] };
}

function emptyNode(folder: string, isTop: boolean): OutlineNode {
  // The trailing slash distinguishes the key from that of a file; links to folders are resolved by it.
  return {
    key: `${folder}/`,
    type: isTop ? 'group' : 'document',
    title: titleFromPath(folder),
    slug: basename(folder),
    children: [],
  };
}

function folderPage(files: string[]): string | undefined {
  const pages = files.filter(isFolderPage);
  return pages.find((path) => /^readme\./i.test(basename(path))) ?? pages[0];
}

const collator = new Intl.Collator('en', { numeric: true });

function compareNaturally(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : 1);
}
