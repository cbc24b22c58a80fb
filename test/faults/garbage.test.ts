import { createHash } from 'node:crypto';
import { readdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Db, kyselyOf } from '../../routers/base/db.ts';
import { objectReader, saveObjects } from '../../routers/branches/objects.operation.ts';
import { collectGarbage } from '../../routers/content/garbage.operation.ts';
import { createObjectBuffer } from '../../routers/engine/store/objects.ts';
import { importSource } from '../../routers/imports/import.operation.ts';
import { removeDeletedSpaces } from '../../routers/spaces/removal.operation.ts';
import { toolContext } from '../../server/context.ts';
import { memorySource } from '../engine/import/memory-source.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { expectIntact } from './integrity.ts';

vi.setConfig({ testTimeout: process.env.LONG === '1' ? 600_000 : 60_000 });

let dataDir: string;
let service: TestService;
let client: Client;
let organization: string;
let author: string;
beforeAll(async () => {
  dataDir = await makeFolder('garbage');
  service = await startTestService({ DATA_DIR: dataDir });
  const made = await service.build.organization();
  organization = made.id;
  author = made.admin.id;
  client = service.as(made.admin.token);
});
afterAll(() => service.close());

const context = () => toolContext(service.runtime.database, service.runtime.services);
const newSpace = async () => (await service.build.space(organization)).id;

/** Sets the time of everything stored so far to days ago. */
async function age(): Promise<void> {
  const { db } = service.runtime.database;
  await sql`update content_object set created_at = created_at - interval '3 days'`.execute(db);
  for await (const sha256 of service.runtime.services.storage.listStale(new Date(Date.now() + 1000)))
    await ageFile(sha256);
}

async function ageFile(sha256: string): Promise<void> {
  const past = new Date(Date.now() - 3 * 24 * 3600 * 1000);
  await utimes(join(dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4), sha256), past, past);
}

/** Deletes a space, as if so long ago that it cannot be restored. */
async function removeSpace(id: string): Promise<void> {
  expect((await client.delete(`/spaces/${id}`)).status).toBe(205);
  await sql`update space set deleted_at = now() - interval '8 days' where id = ${id}`.execute(
    service.runtime.database.db,
  );
  await removeDeletedSpaces(context());
}

const text = (number: number) => `Text number ${number}, which is the same wherever it is written.\n`;

const insertPages = (numbers: number[]) => ({
  changes: numbers.map((number) => ({
    operation: 'insert_page',
    title: `Page ${number}`,
    document: { markdown: text(number) },
  })),
});

const bytesOf = (number: number) => Buffer.from(`bytes ${number}`);
const insertFile = (number: number) => ({
  changes: [
    {
      operation: 'insert_files',
      files: [{ name: `${number}.txt`, base64: bytesOf(number).toString('base64') }],
    },
  ],
});
const isStored = async (number: number) =>
  (await service.runtime.services.storage.size(
    createHash('sha256').update(bytesOf(number)).digest('hex'),
  )) !== undefined;

async function must(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
}

describe('garbage collection', () => {
  beforeEach(async () => {
    await age();
    await collectGarbage(context());
  });

  test('garbage collection removes what only a deleted space contained, and nothing that another revision reaches', async () => {
    const [kept, deleted] = [await newSpace(), await newSpace()];
    await must(client.post(`/spaces/${kept}/content`, insertPages([1, 2])));
    await must(client.post(`/spaces/${kept}/content`, insertFile(1)));
    const before = await expectIntact(service.runtime);
    await must(client.post(`/spaces/${deleted}/content`, insertPages([2, 3])));
    await must(client.post(`/spaces/${deleted}/content`, insertFile(2)));
    await removeSpace(deleted);
    await age();
    const collected = await collectGarbage(context());
    expect(collected.objects).toBeGreaterThan(4);
    expect(collected.files).toBe(1);
    expect((await expectIntact(service.runtime)).objects).toBe(before.objects);
    expect([await isStored(1), await isStored(2)]).toEqual([true, false]);
    expect(await collectGarbage(context())).toEqual({ objects: 0, files: 0 });
  });

  test('garbage collection keeps objects that became unused a short time ago', async () => {
    const deleted = await newSpace();
    await must(client.post(`/spaces/${deleted}/content`, insertPages([11])));
    await must(client.post(`/spaces/${deleted}/content`, insertFile(11)));
    await removeSpace(deleted);
    expect(await collectGarbage(context())).toEqual({ objects: 0, files: 0 });
    expect(await isStored(11)).toBe(true);
  });

  test('garbage collection removes what was computed from removed documents', async () => {
    const { db } = service.runtime.database;
    const [kept, deleted] = [await newSpace(), await newSpace()];
    await must(client.post(`/spaces/${kept}/content`, insertPages([21])));
    await must(client.post(`/spaces/${deleted}/content`, insertPages([22])));
    await sql`
      insert into document_link (document, ordinal)
      select hash, 0 from content_object where kind = 'document' on conflict do nothing`.execute(db);
    await removeSpace(deleted);
    await age();
    await collectGarbage(context());
    const { rows } = await sql`
      select document from document_link
      where document not in (select hash from content_object)`.execute(db);
    expect(rows).toEqual([]);
    expect(await db.selectFrom('document_link').select('document').execute()).not.toEqual([]);
  });

  test('garbage collection removes links in several statements, and those of one document together', async () => {
    const { db } = service.runtime.database;
    await sql`create table removal (links int, documents int)`.execute(db);
    await sql`
      create function count_removal() returns trigger language plpgsql as $$
      begin
        insert into removal select count(*), count(distinct document) from gone having count(*) > 0;
        return null;
      end $$`.execute(db);
    await sql`
      create trigger count_removal after delete on document_link referencing old table as gone
      for each statement execute function count_removal()`.execute(db);
    const [DOCUMENTS, LINKS] = [40, 100];
    await sql`
      insert into document_link (document, ordinal)
      select 'gone ' || document, ordinal
      from generate_series(1, ${DOCUMENTS}::int) document, generate_series(0, ${LINKS - 1}::int) ordinal`.execute(
      db,
    );
    await collectGarbage(context());
    const { rows } = await sql<{ links: number; documents: number }>`select * from removal`.execute(db);
    await sql`drop trigger count_removal on document_link`.execute(db);
    const total = (of: 'links' | 'documents') => rows.reduce((sum, row) => sum + row[of], 0);
    expect([total('documents'), total('links')]).toEqual([DOCUMENTS, DOCUMENTS * LINKS]);
    for (const { links } of rows) expect(links).toBeLessThanOrEqual(1000 + LINKS);
  });

  test('collected objects can be written again, even by processes that have them in a cache', async () => {
    const [first, second] = [await newSpace(), await newSpace()];
    await must(client.post(`/spaces/${first}/content`, insertPages([31])));
    await must(client.get(`/spaces/${first}/content/path/page-31`));
    await removeSpace(first);
    await age();
    expect((await collectGarbage(context())).objects).toBeGreaterThan(0);
    await must(client.post(`/spaces/${second}/content`, insertPages([31])));
    await expectIntact(service.runtime);
  });

  test('garbage collection keeps what is used again between its discovery and its removal', async () => {
    const { database } = service.runtime;
    const save = (db: Db, name: string) => {
      const buffer = createObjectBuffer(objectReader(db));
      buffer.put('document', { name });
      return saveObjects(db, buffer.pending);
    };
    for (const name of ['used', 'unused']) await save(database.db, name);
    await age();
    const [collecting] = await database.transaction(async (em) => {
      const db = kyselyOf(em);
      // Prevents rows from being deleted, not from being read.
      await sql`lock table content_object in share mode`.execute(db);
      const run = collectGarbage(context());
      await vi.waitUntil(async () => {
        const { rows } = await sql`
          select from pg_locks where relation = 'content_object'::regclass and not granted`.execute(db);
        return rows.length > 0;
      });
      await save(db, 'used');
      return [run] as const;
    });
    expect((await collecting).objects).toBe(1);
    expect(await save(database.db, 'used')).toBe(0);
    expect(await save(database.db, 'unused')).toBe(1);
  });

  test('garbage collection skips what a writer is using, without waiting', async () => {
    const { database } = service.runtime;
    await newSpace();
    const deleted = await newSpace();
    await must(client.post(`/spaces/${deleted}/content`, insertPages([41])));
    await removeSpace(deleted);
    await age();
    await database.transaction(async (em) => {
      const db = kyselyOf(em);
      await sql`update content_object set created_at = now() where kind = 'document'`.execute(db);
      expect((await collectGarbage(context())).objects).toBeGreaterThan(0);
    });
    await must(client.post(`/spaces/${await newSpace()}/content`, insertPages([41])));
    await expectIntact(service.runtime);
  });

  test('loses nothing of concurrent edits and imports that reuse objects it would remove', async () => {
    const ROUNDS = process.env.LONG === '1' ? 20 : 2;
    const WRITERS = 4;
    const numbers = Array.from({ length: 24 }, (_, index) => 100 + index);
    const source = (round: number) =>
      memorySource(
        Object.fromEntries(
          numbers.slice(0, 12).map((number) => [`p${number}.md`, `# P${number + round}\n\n${text(number)}`]),
        ),
      );
    const spaces = await Promise.all(Array.from({ length: WRITERS }, newSpace));
    const imported = await newSpace();
    for (let round = 0; round < ROUNDS; round++) {
      // The garbage consists of the same objects that are written during the sweep.
      const deleted = await newSpace();
      await must(client.post(`/spaces/${deleted}/content`, insertPages(numbers)));
      for (const number of numbers.slice(0, WRITERS))
        await must(client.post(`/spaces/${deleted}/content`, insertFile(number + round * 1000)));
      await importSource(context(), { space: deleted, author, source: source(round) });
      await removeSpace(deleted);
      await age();
      let writing = true;
      const collecting = (async () => {
        let objects = 0;
        while (writing) objects += (await collectGarbage(context())).objects;
        return objects;
      })();
      const writers = spaces.map(async (space, index) => {
        await must(client.post(`/spaces/${space}/content`, insertFile((numbers[index] ?? 0) + round * 1000)));
        for (let at = index; at < numbers.length; at += WRITERS)
          await must(client.post(`/spaces/${space}/content`, insertPages(numbers.slice(at, at + 1))));
      });
      await Promise.all([
        ...writers,
        importSource(context(), { space: imported, author, source: source(round) }),
      ]);
      writing = false;
      expect(await collecting).toBeGreaterThan(0);
      await expectIntact(service.runtime);
    }
  });
});

test('what a space imported but did not apply is kept for the next import', async () => {
  const space = await newSpace();
  const docs = (guide: string) =>
    memorySource({ 'README.md': '# Home\n', 'guide.md': `# Guide\n\n${guide}\n` });
  const importOf = (guide: string) =>
    importSource(context(), { space, author, source: docs(guide), changeRequest: true });
  const { changeRequest } = await importOf('Only the branch of the import has this.');
  const archived = { status: 'archived' };
  const at = `/spaces/${space}/change-requests/${changeRequest?.id}`;
  expect((await client.patch(at, archived)).status).toBe(200);
  await age();
  await collectGarbage(context());
  await expectIntact(service.runtime);
  expect((await importOf('And now this.')).changeRequest?.changes).toHaveLength(2);
  await expectIntact(service.runtime);
});

test('bytes that are stored again while they are being removed are kept', async () => {
  const { storage } = service.runtime.services;
  const bytes = bytesOf(7);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  for (let round = 0; round < 200; round++) {
    await storage.put(sha256, bytes);
    await ageFile(sha256);
    await Promise.all([storage.removeStale(sha256, new Date(Date.now() - 1000)), storage.put(sha256, bytes)]);
    expect(await storage.size(sha256)).toBe(bytes.length);
  }
});

test('a removal of a renewed file that a crash interrupted is undone, though the file is not old', async () => {
  const { storage } = service.runtime.services;
  const bytes = bytesOf(9);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const before = new Date(Date.now() - 3_600_000);
  const folder = join(dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4));
  await storage.put(sha256, bytes);
  await rename(join(folder, sha256), join(folder, `${sha256}.0123456789abcdef.removing`));
  const listAll = async () => {
    for await (const stale of storage.listStale(before)) expect(stale).not.toBe(sha256);
  };
  await listAll();
  // It may still be under way.
  expect(await storage.size(sha256)).toBeUndefined();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
  await listAll().finally(() => vi.useRealTimers());
  expect(await storage.size(sha256)).toBe(bytes.length);
});

test('a removal that a crash interrupted is undone, and what was stored in the meantime stays new', async () => {
  const { storage } = service.runtime.services;
  const bytes = bytesOf(8);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const before = () => new Date(Date.now() - 1000);
  const folder = join(dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4));
  for (const suffix of ['.removing', '.0123456789abcdef.removing']) {
    await storage.put(sha256, bytes);
    await ageFile(sha256);
    await rename(join(folder, sha256), join(folder, sha256 + suffix));
    if (suffix === '.removing') await storage.put(sha256, bytes);
    for await (const stale of storage.listStale(before())) expect(stale).not.toBe(sha256);
    expect(await readdir(folder)).toEqual([sha256]);
    expect(await storage.removeStale(sha256, before())).toBe(false);
    expect(await storage.size(sha256)).toBe(bytes.length);
  }
});
