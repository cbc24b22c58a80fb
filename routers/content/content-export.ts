import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { StreamedResponse } from '../response/streamed-response.ts';
import type { ExportObject } from './export.api.ts';

/** A file of an export, with its text or a function that opens its bytes. Paths are relative and safe on every system. */
export interface ArchivedFile {
  readonly path: string;
  readonly content: string | (() => Promise<Readable>);
}

/**
 * The content of a space as the files of a documentation repository, in a zip archive. tRPC clients get the URL of the
 * archive; callers in the same process read the files.
 */
export class ContentExport extends StreamedResponse implements ExportObject {
  readonly object = 'export';
  readonly name: string;
  readonly total: number;
  readonly downloadURL: string;
  /** When the revision was created. */
  readonly #modified: Date;
  readonly #files: () => AsyncGenerator<ArchivedFile, void, undefined>;

  constructor(
    details: { name: string; total: number; downloadURL: string; modified: Date },
    files: () => AsyncGenerator<ArchivedFile, void, undefined>,
  ) {
    super();
    this.name = details.name;
    this.total = details.total;
    this.downloadURL = details.downloadURL;
    this.#modified = details.modified;
    this.#files = files;
  }

  get contentType(): string {
    return 'application/zip';
  }

  override get fileName(): string {
    return this.name;
  }

  /** The files, each serialized only when it is requested. */
  files(): AsyncGenerator<ArchivedFile, void, undefined> {
    return this.#files();
  }
  protected open(): Readable {
    return zip(this.files(), this.#modified);
  }
}

/**
 * Streams a zip archive of files, each opened only once those before it have been read. Stops reading files when the reader
 * of the archive goes away, and fails with the error of a file that cannot be read.
 */
function zip(files: AsyncIterable<ArchivedFile>, modified: Date): Readable {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  const closed = new AbortController();
  output.once('close', () => closed.abort());
  const write = async () => {
    for await (const { path, content } of files) {
      if (closed.signal.aborted) return;
      const bytes = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : await content();
      const read = once(bytes, 'end', { signal: closed.signal });
      archive.addReadStreamLazy(path, { mtime: modified }, (add) => add(null, bytes));
      await read.finally(() => bytes.destroy());
    }
    archive.end();
  };
  const fail = (error: unknown) => {
    if (closed.signal.aborted) return;
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  archive.on('error', fail);
  write().catch(fail);
  return output;
}
