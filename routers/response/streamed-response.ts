import type { Readable } from 'node:stream';
import { type Caller, currentCaller, runFor } from '../base/caller.ts';

/**
 * An output of any size, whose bytes are read while they are sent, so that it is never in memory as a whole. Over REST it is
 * the body; the subclass decides what tRPC clients get instead. It can only be read once, in the same process.
 */
export abstract class StreamedResponse {
  readonly #caller: Caller | undefined = currentCaller();

  abstract get contentType(): string;

  /** The name under which browsers save it; undefined if they show it. */
  get fileName(): string | undefined {
    return undefined;
  }

  /** Identifies the content (ETag), if that is known before it is read. */
  get tag(): string | undefined {
    return undefined;
  }

  /** The size in bytes, if that is known before it is read. */
  get size(): number | undefined {
    return undefined;
  }

  /** Streams the bytes. Reading them counts for the caller who requested the response. */
  stream(): Readable {
    return this.#caller ? runFor(this.#caller, () => this.open()) : this.open();
  }

  protected abstract open(): Readable;
}
