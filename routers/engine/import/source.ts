import { DomainError } from '../errors.ts';
import { isHidden, isMarkdownPath } from './paths.ts';

/** A file in a source. `problem` says why it cannot be read; such a file is reported, and not imported anew. */
export interface SourceEntry {
  /** Relative to the source, with segments joined by `/`. */
  path: string;
  /** In bytes. */
  size: number;
  /** Git's SHA-1 of the file as a blob, if it is known without reading the file. */
  oid?: string;
  problem?: string;
  /** Whether it is a folder, which is listed only if it cannot be read. */
  isFolder?: boolean;
  /** Whether what cannot be read here is listed at another path, too. */
  isDuplicate?: boolean;
}

/** A source of documentation, such as a folder or a git tree. */
export interface DocsSource {
  /** Identifies the source across imports, such as the real path of a folder. */
  location: string;
  /** All files that are not ignored, in a stable order. */
  list(): AsyncIterable<SourceEntry>;
  /** Reads a listed file. Throws ImportError if it can no longer be read. */
  read(path: string): Promise<Uint8Array>;
}

/** Limits of an import. */
export interface ImportLimits {
  files: number;
  /** Maximum number of segments of a path; the work on a file grows with the folders above it. */
  segments: number;
  /** Maximum size of a Markdown or YAML file in bytes. */
  textBytes: number;
  /** Maximum size of an image, attachment or other file in bytes. */
  fileBytes: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  files: 100_000,
  segments: 100,
  textBytes: 8 * 1024 * 1024,
  fileBytes: 100 * 1024 * 1024,
};

type ImportErrorReason =
  | 'not_found'
  | 'not_a_folder'
  | 'unreadable'
  | 'damaged'
  | 'empty'
  | 'too_many_files'
  | 'too_large'
  | 'bad_configuration'
  | 'root_outside'
  | 'root_not_found';

/** Nothing can be imported at all; lesser problems are notes in the report. */
export class ImportError extends DomainError {
  override readonly name = 'ImportError';
  readonly reason: ImportErrorReason;

  constructor(reason: ImportErrorReason, message: string, options?: ErrorOptions) {
    super('invalid', message);
    this.reason = reason;
    this.cause = options?.cause;
  }
}

/**
 * Whether a file or folder of this name is ignored: version control, installed packages and all hidden files, except those
 * that belong to the documentation, and Markdown files, which are imported only if something refers to them.
 */
export function isIgnoredName(name: string): boolean {
  if (name === 'node_modules') return true;
  return isHidden(name) && name !== '.gitbook' && name !== '.gitbook.yaml' && !isMarkdownPath(name);
}
