import type { Readable } from 'node:stream';

/** The bytes of files, addressed by the SHA-256 of their content: what is stored twice is kept once. */
export interface FileStorage {
  /** Stores bytes under their hash. Storing what is there already only renews the time of its being put. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** The bytes from `start` to `end`, both inclusive, or all of them. */
  read(sha256: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Its size in bytes, or undefined where there is none. */
  size(sha256: string): Promise<number | undefined>;
  /** The hashes of what was last put before a time. */
  listStale(before: Date): AsyncIterable<string>;
  /** Removes bytes unless they were put again since that time; tells whether it did. Safe beside a `put` of the same. */
  removeStale(sha256: string, before: Date): Promise<boolean>;
}
