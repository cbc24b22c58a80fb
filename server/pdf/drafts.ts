import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Typesetter } from '../../routers/base/ports.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { dataOwner } from '../embedded-postgres/data-directory.ts';
import { draftNamer, removeDeadDrafts } from '../storage/folder-drafts.ts';
import { createFolders } from '../storage/folder-storage.ts';
import { FILES, type Source } from './files.ts';
import { typesetBook } from './typesetter.ts';

/** The color of links, and of what stands out. */
const ACCENT = '#346ddb';

/** Time that a whole book may take, in milliseconds. */
const TIME = 20 * 60 * 1000;

const TOO_LONG = 'The content is too large for one PDF: making it takes more than 20 minutes.';

/** The names of files in a draft. */
const NAME = /^[\w-]{1,100}$/;

/** The bytes of a file, which is opened once they are asked for. */
async function* read(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Where books are made. */
const pdfFolder = (dataDir: string): string => join(dataDir, 'pdf');

/** Removes the drafts of dead processes. */
export const tidyPdfFolder = (dataDir: string): Promise<void> => removeDeadDrafts(pdfFolder(dataDir));

/** Sets books, each in a private folder of its own. */
export function openTypesetter(dataDir: string): Typesetter {
  let nameDraft: (() => string) | undefined;
  return {
    async open() {
      nameDraft ??= await draftNamer();
      const folder = join(pdfFolder(dataDir), nameDraft());
      await createFolders(pdfFolder(dataDir), await dataOwner(dataDir));
      await mkdir(folder, { mode: 0o700 });
      const stop = new AbortController();
      const files: string[] = [];
      const pathOf = (name: string) => {
        if (!NAME.test(name)) throw new Error(`${name} cannot be the name of a file`);
        return join(folder, name);
      };
      return {
        addDocument: (name, json) => writeFile(pathOf(name), json),
        async addFile(sha256, bytes) {
          await pipeline(bytes, createWriteStream(pathOf(sha256), { mode: 0o600 }));
          files.push(sha256);
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
            files,
          };
          await writeFile(join(folder, FILES.source), JSON.stringify(source));
          const late = AbortSignal.timeout(TIME);
          const signal = AbortSignal.any([stop.signal, late]);
          try {
            const { path, ...made } = await typesetBook(folder, { signal, onProgress });
            return { ...made, bytes: read(path) };
          } catch (error) {
            if (late.aborted) throw new DomainError('unavailable', TOO_LONG);
            throw error;
          }
        },
        async discard() {
          stop.abort(new Error('discarded'));
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
