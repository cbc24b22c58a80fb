/**
 * A large text of a specification held as bytes, so that a text that only passes through this thread is never made a string
 * in it, nor hashed.
 */
export class SerializedText {
  // Private: what walks over inputs must not walk over the bytes.
  readonly #bytes: Uint8Array;
  readonly #sha256: string;

  constructor({ bytes, sha256 }: { bytes: Uint8Array; sha256: string }) {
    this.#bytes = bytes;
    this.#sha256 = sha256;
  }

  /** In UTF-8. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get sha256(): string {
    return this.#sha256;
  }
}
