import { Readable } from 'node:stream';
import type { JsonLinesObject } from './json-lines.api.ts';
import { StreamedResponse } from './streamed-response.ts';

/** The approximate number of bytes that are sent in one chunk. */
const CHUNK_SIZE = 64 * 1024;

/**
 * Any number of objects, as one line of JSON each. tRPC clients get the URL of the file, and callers in the same process
 * read the objects.
 */
export class JsonLines extends StreamedResponse implements JsonLinesObject {
  readonly object = 'export';
  readonly name: string;
  readonly downloadURL: string;
  readonly #objects: () => AsyncGenerator<object, void, undefined>;

  constructor(
    file: { name: string; downloadURL: string },
    objects: () => AsyncGenerator<object, void, undefined>,
  ) {
    super();
    this.name = file.name;
    this.downloadURL = file.downloadURL;
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
    return Readable.from(this.#lines(), { objectMode: false, highWaterMark: CHUNK_SIZE });
  }

  async *#lines(): AsyncGenerator<string, void, undefined> {
    let chunk = '';
    for await (const object of this.objects()) {
      chunk += `${JSON.stringify(object)}\n`;
      if (chunk.length < CHUNK_SIZE) continue;
      yield chunk;
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  }
}
