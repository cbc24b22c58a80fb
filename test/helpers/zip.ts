import { buffer, text } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

export type ArchivedFiles = Record<string, string | Uint8Array | { text: string; mode: number }>;

/** A zip archive of files by their paths. */
export async function zip(files: ArchivedFiles, { compress = true } = {}): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, file] of Object.entries(files)) {
    const isPlain = typeof file === 'string' || file instanceof Uint8Array;
    const { text, mode } = isPlain ? { text: file, mode: 0o100644 } : file;
    archive.addBuffer(Buffer.from(text as string), path, { mode, compress });
  }
  archive.end();
  return buffer(archive.outputStream);
}

/** The same archive, in which these files are marked as encrypted. */
export const encrypted = (archive: Buffer, paths: readonly string[]): Buffer =>
  withHeaders(archive, (path, header) => {
    if (paths.includes(path)) header.writeUInt8(header.readUInt8(8) | 1, 8);
  });

/** The same archive, which says that files have other sizes. */
export const withSizes = (archive: Buffer, sizes: Record<string, number>): Buffer =>
  withHeaders(archive, (path, header) => {
    const size = sizes[path];
    if (size !== undefined) header.writeUInt32LE(size, 24);
  });

/** A copy whose central headers are changed, one for each file. */
function withHeaders(archive: Buffer, change: (path: string, header: Buffer) => void): Buffer {
  const changed = Buffer.from(archive);
  const next = (from: number) => changed.indexOf('PK\x01\x02', from, 'latin1');
  for (let at = next(0); at >= 0; at = next(at + 1)) {
    const path = changed.subarray(at + 46, at + 46 + changed.readUInt16LE(at + 28)).toString();
    change(path, changed.subarray(at));
  }
  return changed;
}

/** The files of an archive by path. */
export async function unzip(archive: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const opened = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true });
  for await (const entry of opened.eachEntry())
    files[entry.fileName] = await text(await opened.openReadStreamPromise(entry));
  return files;
}
