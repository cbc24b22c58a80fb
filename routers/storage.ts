import type { Readable } from 'node:stream';

/** The bytes of files, addressed by the SHA-256 of their content, so equal files are stored once. */
export interface FileStorage {
  /** Stores bytes under their hash. Storing existing bytes again only renews their time. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** The bytes from `start` to `end`, both inclusive, or all of them. */
  read(sha256: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Its size in bytes, or undefined where there is none. */
  size(sha256: string): Promise<number | undefined>;
  /** The hashes of files last put before a time. */
  listStale(before: Date): AsyncIterable<string>;
  /** Removes bytes unless they were put again since that time; returns whether it did. Safe beside a concurrent `put`. */
  removeStale(sha256: string, before: Date): Promise<boolean>;
}
