/** File names that are valid on every operating system, and new ones distinct even where case is ignored. */

import { basename, dirname, foldPath, isFolderPage, joinPath, normalizePath, stem } from '../import/paths.ts';

/** Maximum length of a generated name in bytes, without extension and suffix; most file systems allow 255 in total. */
const MAX_NAME = 200;
/** Characters that are invalid on Windows or special in a shell. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]+/gu;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Allocates each path only once. Paths that differ only in case or Unicode normalization, which some file systems ignore, are
 * allocated if all of them were imported: their source could hold them, and texts that nobody has edited link to them.
 */
export interface PathAllocator {
  /** Claims the path that something was imported from; undefined if it is unsafe or already taken. */
  claimImported(path: string): string | undefined;
  /** Claims exactly this path; undefined if it is unsafe, or if it or another spelling of it is already taken. */
  claim(path: string): string | undefined;
  /** Claims this path, or the first available of `name-2.md`, `name-3.md` and so on. */
  claimUnique(path: string): string;
}

/** Paths of which each leads to a file of its own: none is the folder of another. */
class DistinctPaths {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  isFree(path: string): boolean {
    if (this.#files.has(path) || this.#folders.has(path)) return false;
    for (let folder = dirname(path); folder !== ''; folder = dirname(folder))
      if (this.#files.has(folder)) return false;
    return true;
  }

  add(path: string): void {
    this.#files.add(path);
    for (let folder = dirname(path); folder !== '' && !this.#folders.has(folder); folder = dirname(folder))
      this.#folders.add(folder);
  }
}

export function createPathAllocator(): PathAllocator {
  /** All paths as they are, all of them folded, and those that are new, folded. */
  const exact = new DistinctPaths();
  const folded = new DistinctPaths();
  const created = new DistinctPaths();
  const suffixes = new Map<string, number>();
  const add = (path: string, key: string) => {
    exact.add(path);
    folded.add(key);
  };
  const take = (path: string): boolean => {
    const key = foldPath(path);
    if (!folded.isFree(key)) return false;
    add(path, key);
    created.add(key);
    return true;
  };
  return {
    claimImported(path) {
      const key = foldPath(path);
      if (!isSafePath(path) || !exact.isFree(path) || !created.isFree(key)) return undefined;
      add(path, key);
      return path;
    },
    claim: (path) => (isSafePath(path) && take(path) ? path : undefined),
    claimUnique(path) {
      if (take(path)) return path;
      const key = foldPath(path);
      for (let suffix = suffixes.get(key) ?? 2; ; suffix++) {
        const next = withSuffix(path, suffix);
        suffixes.set(key, suffix + 1);
        if (take(next)) return next;
      }
    },
  };
}

/** Whether a path stays within its folder, on every operating system. */
function isSafePath(path: string): boolean {
  if (path === '' || normalizePath(path) !== path) return false;
  if (/[\p{Cc}\p{Cs}\\]/u.test(path) || /^[a-z]:/i.test(path)) return false;
  return !path.toLowerCase().split('/').includes('.git');
}

/** Replaces everything in a name that has a special meaning on some operating system. */
export function safeName(name: string, fallback: string): string {
  const plain = name.toWellFormed().replace(UNSAFE, '-').trim();
  const dot = plain.lastIndexOf('.');
  const extension = dot > 0 && plain.length - dot <= 12 ? plain.slice(dot) : '';
  const base = firstBytes(plain.slice(0, plain.length - extension.length), MAX_NAME);
  const named = `${base}${extension}`.replace(/^[. ]+/, '');
  const ended = named.replace(/(?<![. ])[. ]+$/, '');
  if (ended === '') return fallback;
  return WINDOWS_DEVICE.test(ended) ? `_${ended}` : ended;
}

/** Truncates a text to a number of bytes in UTF-8. */
function firstBytes(text: string, most: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    length += character.length;
  }
  return text.slice(0, length);
}

/** Adds a suffix before the extension or, for the page of a folder, to the name of the folder. */
function withSuffix(path: string, suffix: number): string {
  const folder = dirname(path);
  if (isFolderPage(path) && folder !== '') return joinPath(`${folder}-${suffix}`, basename(path));
  const name = basename(path);
  const plain = stem(path);
  return joinPath(folder, `${plain}-${suffix}${name.slice(plain.length)}`);
}
