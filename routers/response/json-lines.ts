import { Readable } from 'node:stream';
import type { JsonLinesObject } from './json-lines.api.ts';
import { StreamedResponse } from './streamed-response.ts';

/** Bytes of lines that are sent in one piece, more or less. */
const PIECE = 64 * 1024;

/**
 * A line of JSON for each of any number of objects. tRPC clients get the address of the file, and callers in the same
 * process read the objects.
 */
export class JsonLines extends StreamedResponse implements JsonLinesObject {
  readonly object = 'export';
  readonly name: string;
  readonly downloadURL: string;
  readonly #objects: () => AsyncGenerator<object, void, undefined>;

  constructor(
    shown: { name: string; downloadURL: string },
    objects: () => AsyncGenerator<object, void, undefined>,
  ) {
    super();
    this.name = shown.name;
    this.downloadURL = shown.downloadURL;
    this.#objects = objects;
  }

  get contentType(): string {
    return 'application/x-ndjson; charset=utf-8';
  }

  override get fileName(): string {
    return this.name;
  }

  objects(): AsyncGenerator<object, void, undefined> {
    return this.#objects();
  }

  protected open(): Readable {
    return Readable.from(this.#lines(), { objectMode: false, highWaterMark: PIECE });
  }

  async *#lines(): AsyncGenerator<string, void, undefined> {
    let piece = '';
    for await (const object of this.objects()) {
      piece += `${JSON.stringify(object)}\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  }
}
