import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../schema/json/parse-json.ts';
import type { FileStorage } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';
import { StreamedResponse } from './streamed-response.ts';

/** The maximum of bytes of JSON that can be parsed without blocking other requests. */
const MAX_VALUE = 512 * 1024;

/** A stored file within a response, and its size in bytes. */
interface StoredPart {
  sha256: string;
  size: number;
}

/**
 * A response that consists of stored files and of text between them. tRPC clients get the value that it is the text of.
 */
export class PrebuiltResponse extends StreamedResponse {
  /** The type of the output of the procedure: a JSON value, or a text. */
  readonly kind: 'json' | 'text';
  readonly #contentType: string;
  readonly #tag: string;
  readonly #parts: readonly (string | StoredPart)[];
  readonly #storage: FileStorage;

  constructor(
    storage: FileStorage,
    {
      contentType,
      kind,
      tag,
      parts,
    }: Pick<PrebuiltResponse, 'contentType' | 'kind' | 'tag'> & {
      parts: readonly (string | StoredPart)[];
    },
  ) {
    super();
    this.kind = kind;
    this.#contentType = contentType;
    this.#tag = tag;
    this.#parts = parts;
    this.#storage = storage;
  }

  get contentType(): string {
    return this.#contentType;
  }

  override get tag(): string {
    return this.#tag;
  }

  override get size(): number {
    return this.#parts.reduce(
      (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.size),
      0,
    );
  }

  protected open(): Readable {
    return Readable.from(this.#bytes(), { objectMode: false });
  }

  async *#bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const part of this.#parts) {
      if (typeof part === 'string') yield Buffer.from(part);
      else yield* (await this.#storage.read(part.sha256)) as AsyncIterable<Uint8Array>;
    }
  }

  /**
   * The value that it is the text of.
   * @throws DomainError `invalid` if it is too large to be parsed here
   */
  async value(): Promise<unknown> {
    if (this.size > MAX_VALUE)
      throw new DomainError(
        'invalid',
        'The output is too large for a streamed response: call the procedure without streaming.',
      );
    const text = await this.text();
    return this.kind === 'json' ? parseJson(text) : text;
  }

  async text(): Promise<string> {
    return text(this.stream());
  }
}
