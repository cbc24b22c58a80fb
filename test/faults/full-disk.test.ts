import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { chmod, mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { outageOf } from '../../routers/base/outage.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { writeArchive } from '../../server/backup/archive.ts';
import { removeStalePdfDrafts } from '../../server/pdf/open-typesetter.ts';
import { cleanUpFolderStorage, openFolderStorage } from '../../server/storage/folder-storage.ts';
import { inCheckout } from '../helpers/checkout.ts';
import { makeFolder } from '../helpers/folders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { killAll, run } from '../server/process-harness.ts';

const exec = promisify(execFile);

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeFolder('files');
});
afterAll(killAll);

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Every file in a storage, complete or not. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/**
 * A file system of 1 MB, if one can be mounted. It is detached as soon as it is open, so that it disappears with this
 * process, however that ends.
 * @returns its path, valid only in this process
 */
async function openSmallDisk(): Promise<string | undefined> {
  const folder = await makeFolder('small');
  try {
    await exec('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  } catch {
    console.warn('NOT TESTED: a full disk, because this user cannot mount a small file system');
    return undefined;
  }
  try {
    return `/proc/self/fd/${openSync(folder, 'r')}`;
  } finally {
    await exec('umount', ['--lazy', folder]);
  }
}

const small = await openSmallDisk();

describe.runIf(small !== undefined)('a full disk', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ DATA_DIR: small as string });
  });
  afterAll(() => service.close());

  test('an upload that does not fit gets 503 and leaves nothing; smaller and later ones succeed', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id);
    const client = service.as(admin.token);
    const { body: address } = await client.post(`/spaces/${space.id}/uploads`);
    const put = (bytes: Buffer) =>
      service.app.inject({ method: 'PUT', url: address.url.replace('http://docs.test', ''), payload: bytes });
    const fitting = randomBytes(300_000);
    expect((await put(fitting)).statusCode).toBe(201);

    const answer = await put(randomBytes(2_000_000));
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toEqual({
      error: { code: 503, message: 'There is not enough storage space right now.' },
    });
    expect(await filesIn(small as string)).toEqual([hashOf(fitting)]);

    const another = randomBytes(300_000);
    expect((await put(another)).statusCode).toBe(201);
    expect((await filesIn(small as string)).sort()).toEqual([hashOf(fitting), hashOf(another)].sort());
  });
});

test.runIf(small !== undefined)(
  'a backup to a full disk fails with the reason and leaves nothing',
  async () => {
    const path = join(small as string, 'backup.tar.gz');
    const before = await readdir(small as string);
    const writing = writeArchive(path, new AbortController().signal, async ({ add }) => {
      for (const name of ['a', 'b', 'c', 'd']) await add(name, randomBytes(500_000));
    });
    await expect(writing).rejects.toThrow(`The disk is full: ${path} was not written.`);
    expect(await readdir(small as string)).toEqual(before);
  },
);

test.each(['ENOSPC', 'EDQUOT', '53100', '53200', '53400'])('%s gives 503', (code) => {
  const outage = outageOf(Object.assign(new Error('full'), { code, syscall: 'write' }));
  expect(outage).toBeInstanceOf(DomainError);
  expect(outage?.code).toBe('unavailable');
});

test('stored files are complete and private, named by their hash', async () => {
  const storage = openFolderStorage(dataDir);
  const bytes = randomBytes(100_000);
  await Promise.all([storage.put(hashOf(bytes), bytes), storage.put(hashOf(bytes), bytes)]);
  expect(await filesIn(dataDir)).toEqual([hashOf(bytes)]);
  expect(await storage.size(hashOf(bytes))).toBe(bytes.length);
  for (const name of await readdir(dataDir, { recursive: true })) {
    expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0);
  }
});

test('a files folder that an earlier version left open is made private', async () => {
  await mkdir(join(dataDir, 'files'));
  await chmod(join(dataDir, 'files'), 0o755);
  await cleanUpFolderStorage(dataDir);
  expect((await stat(join(dataDir, 'files'))).mode & 0o777).toBe(0o700);
});

test('a start removes the drafts of killed writers, and not those of live ones', async () => {
  const program = `
    const { draftNamer } = await import('${inCheckout('server/storage/folder-drafts.ts')}');
    console.log((await draftNamer())());
    setInterval(() => undefined, 1000);`;
  const writer = run(process.execPath, ['--input-type=module', '-e', program], {});
  const name = await new Promise<string>((resolve) => {
    writer.process.stdout?.once('data', (line) => resolve(String(line).trim()));
  });
  const drafts = join(dataDir, 'files', 'incoming');
  await mkdir(drafts, { recursive: true });
  const elsewhere = name.replace(/^[0-9a-f]+/, '0'.repeat(12));
  const old = elsewhere.replace(/[0-9a-f]+$/, 'old');
  for (const draft of [name, elsewhere, old]) await writeFile(join(drafts, draft), 'half of');
  const books = join(dataDir, 'pdf');
  await mkdir(join(books, name), { recursive: true });
  await writeFile(join(books, name, 'book.json'), 'half of');
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(join(drafts, old), longAgo, longAgo);

  await cleanUpFolderStorage(dataDir);
  await removeStalePdfDrafts(dataDir);
  expect((await readdir(drafts)).sort()).toEqual([elsewhere, name].sort());
  expect(await readdir(join(books, name))).toEqual(['book.json']);
  writer.process.kill('SIGKILL');
  await writer.exit;
  await cleanUpFolderStorage(dataDir);
  await removeStalePdfDrafts(dataDir);
  expect(await readdir(drafts)).toEqual([elsewhere]);
  expect(await readdir(books)).toEqual([]);
});
