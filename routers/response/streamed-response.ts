import type { Readable } from 'node:stream';
import { type Caller, currentCaller, runFor } from '../base/caller.ts';

/**
 * An output of any size, whose bytes are read while they are sent: neither is all of it ever in memory. Over REST it is the
 * body; what tRPC clients get instead, its class says. Not to be read in another process, or twice.
 */
export abstract class StreamedResponse {
  readonly #caller: Caller | undefined = currentCaller();

  abstract get contentType(): string;

  /** The name under which browsers save it; undefined where they show it. */
  get fileName(): string | undefined {
    return undefined;
  }

  /** Identifies the content, where it is known before it is read. */
  get tag(): string | undefined {
    return undefined;
  }

  /** In bytes, where it is known before it is read. */
  get size(): number | undefined {
    return undefined;
  }

  /** Its bytes. What they take is counted under whoever asked for it. */
  stream(): Readable {
    return this.#caller ? runFor(this.#caller, () => this.open()) : this.open();
  }

  protected abstract open(): Readable;
}
