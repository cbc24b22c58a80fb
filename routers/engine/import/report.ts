import { truncate } from '../text.ts';

/** The maximum length of a name in a message. */
const MAX_QUOTED = 200;

/** A note in the report of an import. */
export interface ImportNote {
  /** Path within the source; that of a folder ends in `/`. */
  file: string;
  /** The line in the file, from 1. */
  line?: number;
  /** `error`: something was not imported. `warning`: something was imported differently. `info`: for information. */
  severity: 'info' | 'warning' | 'error';
  message: string;
}

/** Invisible characters and those that change text direction, except the joiners in words and emoji. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\u00a0]/gu;

/** Quotes a name for use in a message. Names can contain anything, so special and invisible characters are escaped. */
export function quote(name: string): string {
  const text = JSON.stringify(truncate(name, MAX_QUOTED));
  return text.replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** What a report says of a URL that runs a script, as is kept for exports. */
export const scriptUrlMessage = (url: string): string =>
  `The URL ${quote(url)} runs a script, so nothing leads to it on pages.`;

/** Sorts notes by file and line, independent of the order in which files were read. */
export function sortNotes(notes: readonly ImportNote[]): ImportNote[] {
  return notes.toSorted((a, b) => {
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return (a.line ?? 0) - (b.line ?? 0);
  });
}
