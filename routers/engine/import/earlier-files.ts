import type { TextFile } from './text.ts';

/** What a file is imported as. */
export type FileRole = 'page' | 'reusable-content' | 'file' | 'summary' | 'variables';

/** The Markdown file of a page or reusable content at the last import. */
export interface EarlierMarkdown {
  path: string;
  /** Git's SHA-1 of the file as a blob. */
  oid: string;
  title: string;
}

/** The files of the last import of a source: they stand in for those that it still has, but that can no longer be read. */
export interface EarlierFiles {
  markdown: readonly EarlierMarkdown[];
  /** What each file was imported as, by path. */
  roles: ReadonlyMap<string, FileRole>;
  /** Reads texts as they were at the last import. */
  read(paths: readonly string[]): AsyncIterable<readonly [path: string, file: TextFile]>;
}

/** Used for the first import. */
export const NO_EARLIER_FILES: EarlierFiles = { markdown: [], roles: new Map(), async *read() {} };
