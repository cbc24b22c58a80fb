import { type Caller, currentCaller } from '../base/caller.ts';
import type { JsonLinesObject } from './json-lines.api.ts';

/**
 * An answer of any length, a line of JSON for each object: the facade sends it as it is read, tRPC clients get its address,
 * and callers in the same process read it.
 */
export class JsonLines implements JsonLinesObject {
  readonly object = 'export';
  readonly name: string;
  readonly downloadURL: string;
  readonly #caller = currentCaller();
  readonly #open: () => AsyncGenerator<object, void, undefined>;

  constructor(
    shown: { name: string; downloadURL: string },
    open: () => AsyncGenerator<object, void, undefined>,
  ) {
    this.name = shown.name;
    this.downloadURL = shown.downloadURL;
    this.#open = open;
  }

  /** Whom it is read for. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  objects(): AsyncGenerator<object, void, undefined> {
    return this.#open();
  }
}
