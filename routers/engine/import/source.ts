import { DomainError } from '../errors.ts';

/** One thing a source offers. A `problem` says why it cannot be read; such an entry is reported and left alone. */
export interface SourceEntry {
  /** Relative to the source, segments joined by `/`, never starting with one. */
  path: string;
  /** Bytes. */
  size: number;
  /** Git's SHA-1 of the file as a blob, where the source knows it without reading. */
  oid?: string;
  problem?: string;
}

/** Where documentation is read from: a folder today, a git tree just as well. */
export interface DocsSource {
  /** Names the source from one import to the next: the real path of a folder. */
  location: string;
  /** Every file worth looking at, in a stable order. */
  list(): AsyncIterable<SourceEntry>;
  /** The bytes of a listed file. Throws ImportError when it can no longer be read. */
  read(path: string): Promise<Uint8Array>;
}

/** Limits of one import. */
export interface ImportLimits {
  files: number;
  /** Bytes of one Markdown or YAML file. */
  textBytes: number;
  /** Bytes of one image, attachment or other file. */
  fileBytes: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  files: 100_000,
  textBytes: 8 * 1024 * 1024,
  fileBytes: 100 * 1024 * 1024,
};

type ImportErrorReason =
  | 'not_found'
  | 'not_a_folder'
  | 'unreadable'
  | 'empty'
  | 'too_many_files'
  | 'too_large'
  | 'bad_configuration'
  | 'root_outside'
  | 'root_not_found';

/** A reason why nothing can be imported at all; lesser findings are notes in the report. */
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
 * Whether a file or folder of this name is left out of an import: version control, installed packages and everything
 * hidden, except what documentation keeps in hidden places.
 */
export function isIgnoredName(name: string): boolean {
  if (name === 'node_modules') return true;
  return name.startsWith('.') && name !== '.gitbook' && name !== '.gitbook.yaml';
}
