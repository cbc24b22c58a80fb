import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { FileStorage } from '../routers/storage.ts';

/** Two levels of folders, so that none grows too long. */
const keyOf = (sha256: string) => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

/** Keeps the bytes of files under `<dataDir>/files`, by hash. */
export function openFileStorage(dataDir: string): FileStorage {
  const disk = new Disk(new FSDriver({ location: join(dataDir, 'files'), visibility: 'private' }));
  return {
    async put(sha256, bytes) {
      const key = keyOf(sha256);
      if (await disk.exists(key)) return;
      // Written aside and moved: a crash never leaves half a file under a hash that promises the whole.
      const partial = `${key}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      await disk.put(partial, bytes);
      await disk.move(partial, key);
    },
    async read(sha256, range) {
      const stream = await disk.getStream(keyOf(sha256));
      return range ? Readable.from(slice(stream, range.start, range.end)) : stream;
    },
    async size(sha256) {
      const key = keyOf(sha256);
      return (await disk.exists(key)) ? (await disk.getMetaData(key)).contentLength : undefined;
    },
  };
}

/** The bytes of a stream from `start` to `end`, both inclusive; stops reading after the last. */
async function* slice(stream: AsyncIterable<Buffer>, start: number, end: number): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of stream) {
    const part = chunk.subarray(Math.max(0, start - offset), Math.max(0, end + 1 - offset));
    if (part.length > 0) yield part;
    offset += chunk.length;
    if (offset > end) return;
  }
}
