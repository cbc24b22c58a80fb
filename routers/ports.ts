/** What the procedures need of a running service; `server/` implements it. */

import type { Readable } from 'node:stream';
import type { Db } from './context.ts';

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

/** The background jobs and the data each takes. Handlers are idempotent: a job may run more than once. */
export interface Jobs {
  /** Removes spaces whose 7 days are over. */
  'remove-deleted-spaces': Record<string, never>;
  /** Removes content that no revision reaches any more. */
  'collect-garbage': Record<string, never>;
}

export interface JobQueue {
  /** Enqueues a job in the transaction that `db` is bound to: it exists exactly when the write does. */
  enqueue<Name extends keyof Jobs>(db: Db, name: Name, data: Jobs[Name]): Promise<void>;
}

/**
 * What a request to another server brought; `problem` is a plain sentence on why there is nothing, and `isTooLarge` says
 * that there were more bytes than asked for.
 */
export type OutboundAnswer =
  | { bytes: Uint8Array; contentType?: string }
  | { problem: string; isTooLarge?: true };

/** Reads addresses that callers name, without letting them reach what only this machine or its network can. */
export interface Outbound {
  /**
   * Reads an http or https address, following redirects, up to `maxBytes`, until `signal` ends it or it takes too long.
   * Never throws for what the other side does.
   */
  get(
    url: string,
    options: { maxBytes: number; accept?: string; signal?: AbortSignal },
  ): Promise<OutboundAnswer>;
}

/** Signs what leaves the service and comes back through a client: list cursors, file addresses. */
export interface Signer {
  /** 16 bytes of HMAC-SHA-256 in base64url over the purpose and the text. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

/** Builds every address in answers from the configured base, never from a request's Host header. */
export interface Urls {
  /** Absolute address of an object of the API: `location('spaces', id)`. */
  location(...segments: string[]): string;
  /** Absolute address of a path of the service that is made elsewhere. */
  absolute(path: string): string;
  /** Absolute address of the page that a person would open. */
  app(...segments: string[]): string;
}
