import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Typesetter } from '../../routers/base/ports.ts';
import { makePdf } from '../../routers/pdf/make.operation.ts';
import { jobContext } from '../../server/context.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';

/** Makes the waiting PDFs, optionally with a typesetter of the test. */
export async function makeWaiting(service: TestService, typesetter?: Typesetter): Promise<void> {
  const { database, services } = service.runtime;
  const used = typesetter ? { ...services, typesetter } : services;
  const waiting = await database.db
    .selectFrom('pdf')
    .select('id')
    .where('state', 'in', ['pending', 'progress'])
    .execute();
  for (const { id } of waiting) await makePdf(jobContext(database, used), id);
}

export const forgetPdfs = (service: TestService) => service.runtime.database.db.deleteFrom('pdf').execute();

/** What a typesetter reports of the file "%PDF". */
export const PRINTED = {
  sha256: hash('sha256', '%PDF'),
  size: 4,
  pages: 1,
  notes: [],
  standard: 'tagged',
} as const;

/** A typesetter that accepts everything and produces nothing. */
export function recorder() {
  const documents: string[] = [];
  const titles: string[] = [];
  const targets: string[] = [];
  const files: string[] = [];
  let count = 0;
  const typesetter: Typesetter = {
    open: async () => ({
      addDocument: async (_, json) => void documents.push(json),
      async addFile(sha256, bytes) {
        files.push(sha256);
        bytes.destroy();
      },
      async typeset(book) {
        count += 1;
        titles.push(...book.pages.map(({ title }) => title));
        targets.push(JSON.stringify(book.targets));
        return { ...PRINTED, bytes: Readable.from([Buffer.from('%PDF')]) };
      },
      discard: async () => undefined,
    }),
  };
  return {
    typesetter,
    titles,
    files,
    get text() {
      return documents.join('\n');
    },
    get targets() {
      return targets.join('\n');
    },
    get count() {
      return count;
    },
  };
}

/** The book that is printed for a request. */
export async function printedFor(service: TestService, client: Client, path: string) {
  await forgetPdfs(service);
  await expectOk(client.get(path));
  const recorded = recorder();
  await makeWaiting(service, recorded.typesetter);
  return recorded;
}
