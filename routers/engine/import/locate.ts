import { percentDecode } from '../percent-encoding.ts';
import {
  basename,
  dirname,
  foldPath,
  isFolderPage,
  isMarkdownPath,
  isWithin,
  joinPath,
  normalizePath,
} from './paths.ts';

/** The location that a link leads to, among the existing files. */
type Location =
  | { kind: 'url' }
  /** An anchor on the same page. */
  | { kind: 'anchor'; anchor: string }
  | { kind: 'file'; path: string; anchor?: string }
  | { kind: 'folder'; path: string; anchor?: string }
  | { kind: 'missing'; path: string; anchor?: string }
  | { kind: 'outside' };

/** An index of the files of a source, for resolving links. */
export interface FileIndex {
  root: string;
  files: ReadonlySet<string>;
  folders: ReadonlySet<string>;
  /** Files by path regardless of case and Unicode normalization; undefined if ambiguous. */
  loose: ReadonlyMap<string, string | undefined>;
}

export function indexFiles(paths: Iterable<string>, root: string): FileIndex {
  const files = new Set<string>();
  const folders = new Set<string>(['']);
  const loose = new Map<string, string | undefined>();
  for (const path of paths) {
    files.add(path);
    const key = foldPath(path);
    loose.set(key, loose.has(key) ? undefined : path);
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return { root, files, folders, loose };
}

/** Finds a file by path: an exact match, or else the only file whose path differs only in case or Unicode normalization. */
export function findFile(index: FileIndex, path: string): string | undefined {
  return index.files.has(path) ? path : index.loose.get(foldPath(path));
}

/**
 * Resolves a link in the file `from`: relative to that file, or to the root of the documentation if it starts with `/`;
 * percent-encoded or not, with `.md`, without it, or with `.html` or a slash as on the built site. A link to a folder leads to
 * its README.
 */
export function locate(index: FileIndex, from: string, href: string): Location {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) return { kind: 'url' };
  const hash = href.indexOf('#');
  const anchor = hash < 0 ? undefined : decode(href.slice(hash + 1)) || undefined;
  const written = hash < 0 ? href : href.slice(0, hash);
  if (written === '') return { kind: 'anchor', anchor: anchor ?? '' };

  const found = locatePath(index, from, written);
  if (typeof found === 'object') return { ...found, anchor };
  // GitBook writes `#` in the names of files as it is.
  const whole = hash < 0 ? undefined : locatePath(index, from, href);
  if (typeof whole === 'object' && whole.kind === 'file') return whole;
  const elsewhere =
    locateFromFolder(index, from, written) ??
    locateFromIndex(index, from, written) ??
    locateAsset(index, from, written) ??
    locateStatic(index, from, written);
  if (elsewhere) return { ...elsewhere, anchor };
  const wholeAsset = hash < 0 ? undefined : locateAsset(index, from, href);
  if (wholeAsset) return wholeAsset;
  if (found === 'outside') return { kind: 'outside' };
  const base = written.startsWith('/') ? index.root : dirname(from);
  return { kind: 'missing', path: normalizePath(joinPath(base, decode(written))) ?? written, anchor };
}

/**
 * The page that a link leads to on a built site where each page has a folder of its own, as authors of MkDocs link to it: from
 * `a/b/`, `../c` is what is `c` from the file `a/b.md`.
 */
function locateFromFolder(index: FileIndex, from: string, written: string): LocatedFile | undefined {
  if (!written.startsWith('../') || isFolderPage(from) || isMarkdownPath(written)) return undefined;
  return locateFile(index, from, written.slice('../'.length));
}

/**
 * The page that a link leads to on a built site where the page of a folder has no slash after it, as authors of Docusaurus link to
 * it: from `a/b`, `b/c` is what is `c` from the file `a/b/index.md`, or from `a/b/b.md`, which it uses in the same way.
 */
function locateFromIndex(index: FileIndex, from: string, written: string): LocatedFile | undefined {
  const folder = dirname(from);
  // There is always a slash after the root of a site.
  if (folder === '' || folder === index.root || written.startsWith('/') || isMarkdownPath(written))
    return undefined;
  const isIndex =
    isFolderPage(from) || foldPath(from) === foldPath(`${joinPath(folder, basename(folder))}.md`);
  return isIndex ? locateFile(index, folder, written) : undefined;
}

/** What site generators publish at the root: Docusaurus and Hugo `static`, VitePress and Astro `public`. */
const STATIC_FOLDERS = ['static', 'public'];
/** The repository in links of Docusaurus. */
const SITE_ALIAS = '@site/';

/** The file that a link to the root of a built site leads to, or one to the root of the repository. */
function locateStatic(index: FileIndex, from: string, written: string): LocatedFile | undefined {
  if (written.startsWith(SITE_ALIAS)) return locateFile(index, from, written.slice(SITE_ALIAS.length - 1));
  if (!written.startsWith('/') || isMarkdownPath(written)) return undefined;
  for (const folder of STATIC_FOLDERS) {
    const found = locateFile(index, from, `/${folder}${written}`);
    if (found) return found;
  }
  return undefined;
}

/** GitBook's folder of files and reusable contents. There is one in the documentation. */
const ASSETS = /(?:^|\/)(\.gitbook\/.+)$/;

/** The file in GitBook's folder that a link names, with too few or too many `..` before it: pages are moved by hand, too. */
function locateAsset(index: FileIndex, from: string, written: string): LocatedFile | undefined {
  const [, path] = ASSETS.exec(written) ?? [];
  return path === undefined ? undefined : locateFile(index, from, `/${path}`);
}

interface LocatedFile {
  kind: 'file';
  path: string;
}

function locateFile(index: FileIndex, from: string, written: string): LocatedFile | undefined {
  const found = locatePath(index, from, written);
  return typeof found === 'object' && found.kind === 'file' ? { kind: 'file', path: found.path } : undefined;
}

function locatePath(
  index: FileIndex,
  from: string,
  written: string,
): { kind: 'file' | 'folder'; path: string } | 'missing' | 'outside' {
  let isOutside = false;
  for (const path of possiblePaths(written)) {
    for (const base of path.startsWith('/') ? new Set([index.root, '']) : [dirname(from)]) {
      const full = normalizePath(joinPath(base, path));
      if (full === undefined) {
        isOutside = true;
        continue;
      }
      const file = findPage(index, full, path.endsWith('/'));
      if (file !== undefined) return { kind: 'file', path: file };
      if (index.folders.has(full)) return { kind: 'folder', path: full };
    }
  }
  return isOutside ? 'outside' : 'missing';
}

function findPage(index: FileIndex, path: string, endsWithSlash: boolean): string | undefined {
  if (!endsWithSlash)
    return (
      findFile(index, path) ??
      findFile(index, `${path}.md`) ??
      findReadme(index, path) ??
      findBuilt(index, path)
    );
  // A built site may have a page at the path of a folder.
  return findReadme(index, path) ?? findFile(index, isMarkdownPath(path) ? path : `${path}.md`);
}

const findReadme = (index: FileIndex, folder: string): string | undefined =>
  findFile(index, joinPath(folder, 'README.md')) ?? findFile(index, joinPath(folder, 'index.md'));

/** The file that is built into a file of this path, which authors of mdBook, HonKit and VitePress link to. */
function findBuilt(index: FileIndex, path: string): string | undefined {
  const [, stem] = /^(.+)\.html?$/i.exec(path) ?? [];
  if (stem === undefined) return undefined;
  return findFile(index, `${stem}.md`) ?? (isIndex(stem) ? findReadme(index, dirname(path)) : undefined);
}

const isIndex = (stem: string): boolean => /(?:^|\/)index$/i.test(stem);

/** A path as written, and what else it may mean. */
function possiblePaths(written: string): Iterable<string> {
  if (!/[%?]/.test(written)) return [written];
  const query = written.indexOf('?');
  const bare = query > 0 ? written.slice(0, query) : written;
  return new Set([written, decode(written), bare, decode(bare)]);
}

function decode(text: string): string {
  const decoded = percentDecode(text);
  return decoded.includes('\0') ? text : decoded;
}

/** Whether a file is in the root folder of the documentation. */
export function isInRoot(index: FileIndex, path: string): boolean {
  return isWithin(index.root, path);
}
