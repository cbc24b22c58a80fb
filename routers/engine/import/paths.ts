import { toNfc } from '../nfc.ts';

/** The folder of a path, `''` at the top level. */
export function dirname(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The last segment of a path. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment of a path without its extension. */
export function stem(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

export function joinPath(folder: string, path: string): string {
  return folder === '' ? path : path === '' ? folder : `${folder}/${path}`;
}

/** Whether `path` is in `folder` (`''` contains everything). */
export function isWithin(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/**
 * Resolves `.` and `..` and removes a trailing slash. Undefined if the path leads above the top or contains NUL.
 */
export function normalizePath(path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join('/');
}

/** Folds a path for comparison regardless of case and Unicode normalization. */
export function foldPath(path: string): string {
  return toNfc(path).toLowerCase();
}

export function isMarkdownPath(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}

/** Whether a file is hidden by its name, such as `.notes.md`. */
export const isHidden = (path: string): boolean => basename(path).startsWith('.');

/** Whether a file is the page of its folder, rather than a page in it. */
export function isFolderPage(path: string): boolean {
  return /^(readme|index)\.(md|markdown)$/i.test(basename(path));
}
