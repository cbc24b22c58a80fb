import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FileStorage } from '../../routers/base/ports.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { readConfig } from '../../server/config.ts';
import { StartError } from '../../server/failures.ts';
import { loggerOptions } from '../../server/logger.ts';
import { Bucket } from '../../server/storage/bucket.ts';
import type { BucketSettings } from '../../server/storage/bucket-settings.ts';
import { openFileStorage, prepareFileStorage } from '../../server/storage/storage.ts';
import { startTestS3, type TestS3 } from '../helpers/s3.ts';

let s3: TestS3;
let storage: FileStorage;
beforeAll(async () => {
  s3 = await startTestS3();
  storage = await openFileStorage(readConfig(s3.environment('some/docs')));
});
afterAll(() => s3.close());

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const LATER = new Date(Date.now() + 3_600_000);
const EARLIER = new Date(Date.now() - 3_600_000);

async function everyOne<Item>(hashes: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const sha256 of hashes) found.push(sha256);
  return found;
}

async function* streamOf(bytes: Uint8Array, failure?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 300_000) yield bytes.subarray(at, at + 300_000);
  if (failure) throw failure;
}

async function stored(text: string): Promise<{ bytes: Buffer; sha256: string }> {
  const bytes = Buffer.from(text);
  const sha256 = hashOf(bytes);
  await storage.put(sha256, bytes);
  return { bytes, sha256 };
}

test('the check at the start accepts a usable bucket, and leaves nothing in it', async () => {
  await prepareFileStorage(readConfig(s3.environment('check')));
  expect(await everyOne(storage.list())).toEqual([]);
});

test('files are stored below the prefix, and read whole and in parts', async () => {
  const { bytes, sha256 } = await stored('one two three');
  expect(s3.requests).toContain(`PUT /docs/some/docs/files/${sha256}?x-id=PutObject`);
  expect(await storage.size(sha256)).toBe(bytes.length);
  expect(await buffer(await storage.read(sha256))).toEqual(bytes);
  expect(await buffer(await storage.read(sha256, { start: 4, end: 6 }))).toEqual(bytes.subarray(4, 7));
  expect(await everyOne(storage.list())).toContain(sha256);
});

test('a stream of any length is stored, and one that fails is not, with its own error', async () => {
  const bytes = randomBytes(9 * 1024 * 1024);
  await storage.put(hashOf(bytes), streamOf(bytes));
  expect(hashOf(await buffer(await storage.read(hashOf(bytes))))).toBe(hashOf(bytes));
  for (const part of [bytes.subarray(0, 1_000_000), bytes.subarray(0, 8_900_000)]) {
    const failure = new Error('the archive ends too early');
    await expect(storage.put(hashOf(part), streamOf(part, failure))).rejects.toBe(failure);
    expect(await storage.size(hashOf(part))).toBeUndefined();
  }
});

test('a missing file has no size, and reading it fails as in a folder', async () => {
  const missing = hashOf(Buffer.from('missing'));
  expect(await storage.size(missing)).toBeUndefined();
  await expect(storage.read(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await storage.removeStale(missing, LATER)).toBe(false);
});

test('equal bytes are uploaded once: later only their time is updated', async () => {
  const { sha256 } = await stored('again');
  s3.requests.length = 0;
  await stored('again');
  expect(s3.requests.filter((request) => request.startsWith('PUT'))).toEqual([
    `PUT /docs/some/docs/files/${sha256}?x-id=CopyObject`,
  ]);
});

test('only files from before a time are listed as stale and removed', async () => {
  const { sha256 } = await stored('stale');
  expect(await everyOne(storage.listStale(EARLIER))).toEqual([]);
  expect(await storage.removeStale(sha256, EARLIER)).toBe(false);
  expect(await everyOne(storage.listStale(LATER))).toContain(sha256);
  expect(await storage.removeStale(sha256, LATER)).toBe(true);
  expect(await storage.size(sha256)).toBeUndefined();
});

test.for(['a moment before it is deleted', 'while it is deleted'])(
  'a file that is stored again %s exists afterwards',
  async (moment) => {
    const { bytes, sha256 } = await stored(moment);
    let again: Promise<void> | undefined;
    s3.before = async (method, path) => {
      if (method !== 'DELETE' || !path.includes('/files/') || again) return undefined;
      again = storage.put(sha256, bytes);
      // Its time is updated, and it now waits for the end of the removal.
      if (moment.startsWith('a moment')) await waitFor(() => s3.requests.at(-1)?.includes('/removing/'));
      return undefined;
    };
    expect(await storage.removeStale(sha256, LATER)).toBe(true);
    await again;
    s3.before = () => undefined;
    expect(await storage.size(sha256)).toBe(bytes.length);
  },
);

test('a file that is stored again a moment before it is deleted exists even if the removal ends unnoticed', async () => {
  const { bytes, sha256 } = await stored('unnoticed');
  let again: Promise<void> | undefined;
  const removed = Promise.withResolvers<void>();
  s3.before = async (method, path) => {
    if (method === 'DELETE' && path.includes('/files/')) {
      again ??= storage.put(sha256, bytes);
      await waitFor(() => s3.requests.at(-1)?.includes('/removing/'));
    } else if (method === 'GET' && path.includes('/removing/')) await removed.promise;
    return undefined;
  };
  expect(await storage.removeStale(sha256, LATER)).toBe(true);
  removed.resolve();
  await again;
  s3.before = () => undefined;
  expect(await storage.size(sha256)).toBe(bytes.length);
});

test('a file that is stored again after a removal of unknown outcome is stored once that can have no effect any more', async () => {
  const { bytes, sha256 } = await stored('unknown');
  s3.before = (method, path) =>
    method === 'DELETE' && path.includes('/files/') ? { status: 500, code: 'InternalError' } : undefined;
  await expect(storage.removeStale(sha256, LATER)).rejects.toMatchObject({ code: 'unavailable' });
  s3.before = () => undefined;
  let isStored = false;
  const again = storage.put(sha256, bytes).then(() => {
    isStored = true;
  });
  await waitFor(() => s3.requests.at(-1)?.startsWith('GET') && s3.requests.at(-1)?.includes('/removing/'));
  expect(isStored).toBe(false);
  // The storage carries the removal out after all.
  await openBucket().remove(`some/docs/files/${sha256}`);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  await again.finally(() => vi.useRealTimers());
  expect(await storage.size(sha256)).toBe(bytes.length);
});

test('announcements that were left behind hold nobody up, and are removed', async () => {
  const { bytes, sha256 } = await stored('left behind');
  const bucket = openBucket();
  const announcement = `some/docs/removing/${sha256}/left`;
  await bucket.writeEmpty(announcement);
  await s3.setTime(announcement, new Date(Date.now() - 2 * 3_600_000));
  await storage.put(sha256, bytes);
  expect(await everyOne(storage.listStale(EARLIER))).toEqual([]);
  expect(await everyOne(bucket.list('some/docs/removing/'))).toEqual([]);
});

test('a file is not removed that was stored again since it was listed', async () => {
  const { sha256 } = await stored('renewed');
  let isAnnounced = false;
  s3.before = (method, path) => {
    if (path.includes('/removing/')) isAnnounced = true;
    // A missing file counts as not stale, like a new one.
    return isAnnounced && method === 'HEAD' ? { status: 404, code: 'NotFound' } : undefined;
  };
  expect(await storage.removeStale(sha256, LATER)).toBe(false);
  s3.before = () => undefined;
  expect(await storage.size(sha256)).toBe('renewed'.length);
});

const openBucket = () => new Bucket(readConfig(s3.environment('some/docs')).bucket as BucketSettings);

async function waitFor(condition: () => boolean | undefined): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test.for([
  ['a bucket that is not there', { status: 404, code: 'NoSuchBucket' }, 'There is no such bucket.'],
  [
    'an unknown key',
    { status: 403, code: 'InvalidAccessKeyId' },
    'does not know the key of AWS_ACCESS_KEY_ID.',
  ],
  ['a wrong secret', { status: 403, code: 'SignatureDoesNotMatch' }, 'is not that of AWS_ACCESS_KEY_ID.'],
  ['missing rights', { status: 403, code: 'AccessDenied' }, 'These credentials may not read'],
  ['another region', { status: 301, code: 'PermanentRedirect' }, 'name it in FILES_URL.'],
  ['a server that is overloaded', { status: 503, code: 'SlowDown' }, 'SlowDown'],
  ['a server that does not run', undefined, 'ECONNREFUSED'],
] as const)('%s is reported at the start in a sentence, without secrets', async ([, failure, sentence]) => {
  const environment = s3.environment('x');
  if (failure) s3.before = () => failure;
  else environment.FILES_URL = `s3://docs?endpoint=http://127.0.0.1:${await closedPort()}`;
  const error = await prepareFileStorage(readConfig({ ...environment, AWS_SECRET_ACCESS_KEY: 'hush-hush' }))
    .catch((thrown: unknown) => thrown)
    .finally(() => {
      s3.before = () => undefined;
    });
  expect(error).toBeInstanceOf(StartError);
  expect((error as Error).message).toContain(sentence);
  expect((error as Error).message).toMatch(
    /^The bucket docs at http:\/\/127\.0\.0\.1:\d+ of FILES_URL cannot/,
  );
  const lines: string[] = [];
  pino(loggerOptions('trace'), { write: (line) => lines.push(line) }).error({ err: error }, 'failed');
  expect(lines.join()).not.toMatch(/hush-hush|Signature=|S3RVER/);
});

test('while the server is down, callers get 503', async () => {
  const away = await openFileStorage(
    readConfig({
      ...s3.environment('x'),
      FILES_URL: `s3://docs?endpoint=http://127.0.0.1:${await closedPort()}`,
    }),
  );
  const error = await away.size('a').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: 'unavailable' });
});

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
