import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import type { FileStorage } from '../../routers/base/ports.ts';
import type { BucketSettings } from './bucket-settings.ts';
import { isMissing, missingFile, storageFailure } from './s3-errors.ts';

/** Time limits for connecting, and for the beginning of a response, in milliseconds. */
const CONNECT_LIMIT = 5000;
const RESPONSE_LIMIT = 60_000;

/** The size of the parts in which a file is uploaded, in bytes; up to two of them are in memory. */
const PART = 8 * 1024 * 1024;

/** A removal ends at most this long after it was announced, in milliseconds. */
const REMOVAL_LIMIT = 20_000;

/** After this time, in milliseconds, the process that announced a removal must have been killed. */
const ANNOUNCEMENT_LIFETIME = 3 * REMOVAL_LIMIT;

/** How often to check whether a removal has ended, in milliseconds. */
const POLL = 200;

/** The content of announcements and of test objects. */
const EMPTY = new Uint8Array();

/** The resolution of times in S3, in milliseconds. */
const CLOCK_STEP = 1000;

/**
 * Stores files in a bucket of S3 or a compatible server, by hash: `<prefix>files/<sha256>`. The time of an object is when it
 * was last put. The client is loaded on first use.
 *
 * S3 cannot delete an object depending on its time, so a removal is announced (`<prefix>removing/<sha256>/<id>`) before it
 * checks the time, and a `put` looks for announcements after it has written: one of the two always sees the other.
 */
export function openBucketStorage(settings: BucketSettings): FileStorage {
  const { bucket, prefix } = settings;
  const files = `${prefix}files/`;
  const keyOf = (sha256: string) => files + sha256;
  const removals = (sha256: string) => `${prefix}removing/${sha256}/`;
  let opening: Promise<Client> | undefined;
  const opened = () => (opening ??= openClient(settings));
  /** Runs a request, and converts its error to one with a plain sentence and without the signed request. */
  const request = async <Result>(run: (client: Client) => Promise<Result>): Promise<Result> => {
    try {
      return await run(await opened());
    } catch (error) {
      throw isMissing(error) ? missingFile() : storageFailure(error, settings);
    }
  };
  const ifExists = async <Result>(found: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await found;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  const headOf = (sha256: string) =>
    ifExists(
      request(({ client, s3 }) =>
        client.send(new s3.HeadObjectCommand({ Bucket: bucket, Key: keyOf(sha256) })),
      ),
    );
  const remove = (key: string, limit = RESPONSE_LIMIT) =>
    request(({ client, s3 }) =>
      client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key }), {
        abortSignal: AbortSignal.timeout(limit),
      }),
    );
  async function* objects(below: string): AsyncGenerator<{ key: string; time: number }> {
    let next: string | undefined;
    do {
      const found = await request(({ client, s3 }) =>
        client.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: below, ContinuationToken: next })),
      );
      for (const { Key = '', LastModified } of found.Contents ?? [])
        yield { key: Key, time: LastModified?.getTime() ?? 0 };
      next = found.NextContinuationToken;
    } while (next !== undefined);
  }
  async function* list(before = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
    for await (const { key, time } of objects(files))
      if (time + CLOCK_STEP <= before) yield key.slice(files.length);
  }

  /** Sets the time of a stored file to now; false if there is none. */
  const touch = async (sha256: string): Promise<boolean> => {
    const copied = await ifExists(
      request(({ client, s3 }) =>
        client.send(
          new s3.CopyObjectCommand({
            Bucket: bucket,
            Key: keyOf(sha256),
            CopySource: `${bucket}/${keyOf(sha256)}`,
            MetadataDirective: 'REPLACE',
          }),
        ),
      ),
    );
    return copied !== undefined;
  };
  const write = async (sha256: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> => {
    const { client, Upload } = await opened();
    const source = bytes instanceof Uint8Array ? bytes : Readable.from(bytes);
    // A failure to read the source is not one of the storage.
    let unread: Error | undefined;
    if (source instanceof Readable)
      source.once('error', (error) => {
        unread = error;
      });
    const params = { Bucket: bucket, Key: keyOf(sha256), Body: source };
    try {
      // The object appears only once it is complete.
      await new Upload({ client, params, partSize: PART, queueSize: 1 }).done();
    } catch (error) {
      // guard: bucket-stream-failure
      throw unread ?? storageFailure(error, settings);
    }
  };
  const announcementsOf = async (sha256: string): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of objects(removals(sha256))) keys.push(key);
    return keys;
  };
  /** Waits until no process is removing the file; returns whether one was. */
  const waitForRemovals = async (sha256: string): Promise<boolean> => {
    const begun = Date.now();
    for (let waited = false; ; waited = true) {
      const announced = await announcementsOf(sha256);
      if (announced.length === 0) return waited;
      if (Date.now() - begun < ANNOUNCEMENT_LIFETIME) await sleep(POLL);
      else for (const key of announced) await remove(key);
    }
  };

  return {
    async put(sha256, bytes) {
      if (!(await touch(sha256))) await write(sha256, bytes);
      // guard: bucket-removal-wait
      while (await waitForRemovals(sha256)) {
        if (await touch(sha256)) continue;
        // A stream cannot be read again.
        if (!(bytes instanceof Uint8Array))
          throw storageFailure(new Error(`${sha256} was removed while it was stored again.`), settings);
        await write(sha256, bytes);
      }
    },
    read: (sha256, range) =>
      request(async ({ client, s3 }) => {
        const { Body } = await client.send(
          new s3.GetObjectCommand({
            Bucket: bucket,
            Key: keyOf(sha256),
            ...(range && { Range: `bytes=${range.start}-${range.end}` }),
          }),
        );
        return Body as Readable;
      }),
    size: async (sha256) => (await headOf(sha256))?.ContentLength,
    list: () => list(),
    listStale: (before) => list(before.getTime()),
    async removeStale(sha256, before) {
      const isStale = async () => {
        const time = (await headOf(sha256))?.LastModified?.getTime();
        return time !== undefined && time + CLOCK_STEP <= before.getTime();
      };
      if (!(await isStale())) return false;
      const announcement = removals(sha256) + randomUUID();
      await request(({ client, s3 }) =>
        client.send(new s3.PutObjectCommand({ Bucket: bucket, Key: announcement, Body: EMPTY })),
      );
      const begun = Date.now();
      try {
        // guard: bucket-removal-stale
        if (!(await isStale())) return false;
        const left = REMOVAL_LIMIT - (Date.now() - begun);
        if (left <= 0) return false;
        await remove(keyOf(sha256), left);
        return true;
      } finally {
        await remove(announcement);
      }
    },
  };
}

/**
 * Checks at the start that the bucket can be written, listed and deleted from.
 * @throws BucketError or DomainError with a sentence that says why not
 */
export async function checkBucket(settings: BucketSettings): Promise<void> {
  const { client, s3 } = await openClient(settings, { attempts: 1 });
  const place = { Bucket: settings.bucket, Key: `${settings.prefix}starts/${randomUUID()}` };
  try {
    await client.send(new s3.PutObjectCommand({ ...place, Body: EMPTY }));
    await client.send(new s3.DeleteObjectCommand(place));
    await client.send(
      new s3.ListObjectsV2Command({ Bucket: place.Bucket, Prefix: `${settings.prefix}files/`, MaxKeys: 1 }),
    );
  } catch (error) {
    throw storageFailure(error, settings);
  } finally {
    client.destroy();
  }
}

interface Client {
  client: S3Client;
  s3: typeof import('@aws-sdk/client-s3');
  Upload: typeof import('@aws-sdk/lib-storage').Upload;
}

async function openClient(
  { endpoint, region, credentials }: BucketSettings,
  { attempts = 4 }: { attempts?: number } = {},
): Promise<Client> {
  const [s3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  // No limit: a slow reader keeps its connection, and others should not wait for it.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const client = new s3.S3Client({
    region,
    maxAttempts: attempts,
    ...(credentials && { credentials }),
    // Servers other than Amazon's seldom have a hostname for each bucket, and some reject its newer checksums.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_LIMIT,
      requestTimeout: RESPONSE_LIMIT,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  return { client, s3, Upload };
}
