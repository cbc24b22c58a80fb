/** Names of files that every system can hold, and that none takes for those of others. */

import { basename, dirname, foldPath, isFolderPage, joinPath, normalizePath, stem } from '../import/paths.ts';

/** Bytes of a name that is made here, before its extension and a suffix; most systems take 255 in all. */
const MAX_NAME = 200;
/** What Windows or a shell takes for something else. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]+/gu;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Gives out paths, each once, regardless of case and Unicode composition: some systems see no difference. */
export interface PathAllocator {
  /** Takes a path that is given; undefined if it is no safe path, or is taken. */
  claim(path: string): string | undefined;
  /** Takes the path, or the first of `name-2.md`, `name-3.md` and so on that is free. */
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

/** Whether a path stays below the folder it is put into, on every system. */
function isSafePath(path: string): boolean {
  if (path === '' || normalizePath(path) !== path) return false;
  if (/[\p{Cc}\p{Cs}\\]/u.test(path) || /^[a-z]:/i.test(path)) return false;
  return !path.toLowerCase().split('/').includes('.git');
}

/** A name with everything replaced that could mean something else. */
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

/** The characters of a text that fit into so many bytes of UTF-8. */
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

/** The suffix goes before the extension; for the page of a folder, to the folder. */
function withSuffix(path: string, suffix: number): string {
  const folder = dirname(path);
  if (isFolderPage(path) && folder !== '') return joinPath(`${folder}-${suffix}`, basename(path));
  const name = basename(path);
  const plain = stem(path);
  return joinPath(folder, `${plain}-${suffix}${name.slice(plain.length)}`);
}
