import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Typesetter } from '../../routers/base/ports.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { dataOwner } from '../embedded-postgres/data-directory.ts';
import { draftNamer, removeDeadDrafts } from '../storage/folder-drafts.ts';
import { createFolders } from '../storage/folder-storage.ts';
import { type BookSource, FILES } from './files.ts';
import { typesetBook } from './typesetter.ts';

/** The colour of links and highlights. */
const ACCENT = '#346ddb';

/** How long a whole book may take, in milliseconds. */
const MAX_TIME = 20 * 60 * 1000;

const TOO_LONG = 'The content is too large for one PDF: generating it takes more than 20 minutes.';

/** Valid names of files in a draft. */
const NAME = /^[\w-]{1,100}$/;

/** The bytes of a file, which is opened when they are first read. */
async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** The folder in which books are generated. */
const pdfFolder = (dataDir: string): string => join(dataDir, 'pdf');

/** Removes the drafts of processes that no longer exist. */
export const removeStalePdfDrafts = (dataDir: string): Promise<void> => removeDeadDrafts(pdfFolder(dataDir));

/** Opens the typesetter, which generates each book in a private folder. */
export function openTypesetter(dataDir: string): Typesetter {
  let nameDraft: (() => string) | undefined;
  return {
    async open() {
      nameDraft ??= await draftNamer();
      const folder = join(pdfFolder(dataDir), nameDraft());
      await createFolders(pdfFolder(dataDir), await dataOwner(dataDir));
      await mkdir(folder, { mode: 0o700 });
      const abortController = new AbortController();
      const files: string[] = [];
      const pathOf = (name: string) => {
        if (!NAME.test(name)) throw new Error(`${name} is not a valid file name`);
        return join(folder, name);
      };
      return {
        addDocument: (name, json) => writeFile(pathOf(name), json),
        async addFile(sha256, bytes) {
          await pipeline(bytes, createWriteStream(pathOf(sha256), { mode: 0o600 }));
          files.push(sha256);
        },
        async typeset({ time, pages, targets, ...book }, onProgress) {
          const source: BookSource = {
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
          const timeout = AbortSignal.timeout(MAX_TIME);
          const signal = AbortSignal.any([abortController.signal, timeout]);
          try {
            const { path, ...result } = await typesetBook(folder, { signal, onProgress });
            return { ...result, bytes: readFileBytes(path) };
          } catch (error) {
            if (timeout.aborted) throw new DomainError('unavailable', TOO_LONG);
            throw error;
          }
        },
        async discard() {
          abortController.abort(new Error('discarded'));
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
