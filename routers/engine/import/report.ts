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

/** A file's name for use inside a sentence; paths can hold anything, so they are quoted and kept on one line. */
export function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

/** Notes in the order of files and lines, however their files happened to be read. */
export function sortNotes(notes: readonly ImportNote[]): ImportNote[] {
  return notes.toSorted((a, b) => {
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return (a.line ?? 0) - (b.line ?? 0);
  });
}
