/**
 * The text of a large OpenAPI spec as bytes, with its hash, so that a text that only passes through this thread is neither
 * decoded nor hashed here.
 */
export class SerializedText {
  // Private, so that code that traverses inputs does not traverse the bytes.
  readonly #bytes: Uint8Array;
  readonly #sha256: string;

  constructor({ bytes, sha256 }: { bytes: Uint8Array; sha256: string }) {
    this.#bytes = bytes;
    this.#sha256 = sha256;
  }

  /** The text in UTF-8. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get sha256(): string {
    return this.#sha256;
  }
}
