import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Typesetter } from '../../routers/base/ports.ts';
import { FILES, type Source } from './files.ts';
import { typesetBook } from './typesetter.ts';

/** The color of links, and of what stands out. */
const ACCENT = '#346ddb';

/** Time that a whole book may take, in milliseconds. */
const TIME = 20 * 60 * 1000;

/** The names of files in a draft. */
const NAME = /^[\w-]{1,100}$/;

/** Sets books, each in a private folder of its own. */
export function openTypesetter(): Typesetter {
  return {
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'colophon-pdf-'));
      const stop = new AbortController();
      const pictures: Record<string, string> = {};
      const pathOf = (name: string) => {
        if (!NAME.test(name)) throw new Error(`${name} cannot be the name of a file`);
        return join(folder, name);
      };
      return {
        addDocument: (name, json) => writeFile(pathOf(name), json),
        async addPicture(sha256, bytes) {
          await pipeline(bytes, createWriteStream(pathOf(sha256), { mode: 0o600 }));
          pictures[sha256] = sha256;
        },
        async typeset({ time, pages, targets, ...book }, onProgress) {
          const source: Source = {
            ...book,
            time: time.getTime(),
            accent: ACCENT,
            pages: pages.map(({ document, ...page }) => ({
              ...page,
              ...(document !== undefined && { file: document }),
            })),
            targets: targets.map(([key, target]) => [key, target]),
            pictures,
          };
          await writeFile(join(folder, FILES.source), JSON.stringify(source));
          const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(TIME)]);
          const { path, ...made } = await typesetBook(folder, { signal, onProgress });
          return { ...made, bytes: await readFile(path) };
        },
        async discard() {
          stop.abort(new Error('discarded'));
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
