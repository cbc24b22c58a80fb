import type { Readable } from 'node:stream';

/** The bytes of files, addressed by the SHA-256 of their content: what is stored twice is kept once. */
export interface FileStorage {
  /** Stores bytes under their hash; storing what is there already does nothing. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** The bytes from `start` to `end`, both inclusive, or all of them. */
  read(sha256: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Its size in bytes, or undefined where there is none. */
  size(sha256: string): Promise<number | undefined>;
}
