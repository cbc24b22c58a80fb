/** File names that are valid on every operating system, and distinct even where case is ignored. */

import { basename, dirname, foldPath, isFolderPage, joinPath, normalizePath, stem } from '../import/paths.ts';

/** Maximum length of a generated name in bytes, without extension and suffix; most file systems allow 255 in total. */
const MAX_NAME = 200;
/** Characters that are invalid on Windows or special in a shell. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]+/gu;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Allocates each path only once, regardless of case and Unicode normalization, which some file systems ignore. */
export interface PathAllocator {
  /** Claims exactly this path; undefined if it is unsafe or already taken. */
  claim(path: string): string | undefined;
  /** Claims this path, or the first available of `name-2.md`, `name-3.md` and so on. */
  claimUnique(path: string): string;
}

export function createPathAllocator(): PathAllocator {
  const taken = new Set<string>();
  const folders = new Set<string>();
  const suffixes = new Map<string, number>();
  const isFree = (key: string): boolean => {
    if (taken.has(key) || folders.has(key)) return false;
    for (let folder = dirname(key); folder !== ''; folder = dirname(folder))
      if (taken.has(folder)) return false;
    return true;
  };
  const take = (path: string): boolean => {
    const key = foldPath(path);
    if (!isFree(key)) return false;
    taken.add(key);
    for (let folder = dirname(key); folder !== '' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
    return true;
  };
  return {
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
