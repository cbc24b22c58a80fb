/** One finding of an import, for the person who started it. */
export interface ImportNote {
  /** Path within the source; a folder's ends in `/`. */
  file: string;
  /** Counted from 1, in the file as it is stored. */
  line?: number;
  /** `error`: something is missing from the result. `warning`: something is different. `info`: for completeness. */
  severity: 'info' | 'warning' | 'error';
  message: string;
}

/** Characters that nobody sees, or that turn the text around them; but not those that join letters and emoji. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}\u00a0]/gu;

/** A name for use inside a sentence; names can hold anything, so they are quoted, kept on one line and shown in full. */
export function quote(name: string): string {
  const text = JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
  return text.replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Notes in the order of files and lines, however their files happened to be read. */
export function sortNotes(notes: readonly ImportNote[]): ImportNote[] {
  return notes.toSorted((a, b) => {
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return (a.line ?? 0) - (b.line ?? 0);
  });
}
