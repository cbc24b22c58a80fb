import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { isMissing, missingFile, storageFailure } from './bucket-errors.ts';
import type { BucketSettings } from './bucket-settings.ts';

/** Time limits for connecting, and for the beginning of a response, in milliseconds. */
const CONNECT_LIMIT = 5000;
const RESPONSE_LIMIT = 60_000;

/** The size of the parts in which an object is uploaded, in bytes; up to two of them are in memory. */
const PART = 8 * 1024 * 1024;

/** The content of announcements and of test objects. */
const EMPTY = new Uint8Array();

/**
 * A bucket of S3 or a compatible server. Failures are errors with a plain sentence and without the signed request. The client
 * is loaded on first use.
 */
export class Bucket {
  #settings: BucketSettings;
  #opening: Promise<Client> | undefined;

  constructor(settings: BucketSettings) {
    this.#settings = settings;
  }

  #opened(): Promise<Client> {
    this.#opening ??= openClient(this.#settings);
    return this.#opening;
  }

  async #request<Result>(run: (client: Client, bucket: string) => Promise<Result>): Promise<Result> {
    try {
      return await run(await this.#opened(), this.#settings.bucket);
    } catch (error) {
      throw isMissing(error) ? missingFile() : storageFailure(error, this.#settings);
    }
  }

  /** The size of an object in bytes, and when it was last put; undefined if there is none. */
  async head(key: string): Promise<{ size: number | undefined; time: number | undefined } | undefined> {
    const found = await ifExists(
      this.#request(({ client, s3 }, bucket) =>
        client.send(new s3.HeadObjectCommand({ Bucket: bucket, Key: key })),
      ),
    );
    return found && { size: found.ContentLength, time: found.LastModified?.getTime() };
  }

  /** Reads an object, or a range of its bytes, of which both ends are included. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    return this.#request(async ({ client, s3 }, bucket) => {
      const { Body } = await client.send(
        new s3.GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      return Body as Readable;
    });
  }

  /** Writes an object, which appears only once it is complete. */
  async write(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const { client, Upload } = await this.#opened();
    const source = bytes instanceof Uint8Array ? bytes : Readable.from(bytes);
    // A failure to read the source is not one of the storage.
    let unread: Error | undefined;
    if (source instanceof Readable)
      source.once('error', (error) => {
        unread = error;
      });
    const params = { Bucket: this.#settings.bucket, Key: key, Body: source };
    try {
      await new Upload({ client, params, partSize: PART, queueSize: 1 }).done();
    } catch (error) {
      // guard: bucket-stream-failure
      throw unread ?? storageFailure(error, this.#settings);
    }
  }

  /** Writes an object without content. */
  async writeEmpty(key: string): Promise<void> {
    await this.#request(({ client, s3 }, bucket) =>
      client.send(new s3.PutObjectCommand({ Bucket: bucket, Key: key, Body: EMPTY })),
    );
  }

  /** Sets the time of an object to now; false if there is none. */
  async touch(key: string): Promise<boolean> {
    const copied = await ifExists(
      this.#request(({ client, s3 }, bucket) =>
        client.send(
          new s3.CopyObjectCommand({
            Bucket: bucket,
            Key: key,
            CopySource: `${bucket}/${key}`,
            MetadataDirective: 'REPLACE',
          }),
        ),
      ),
    );
    return copied !== undefined;
  }

  /** Removes an object, within a number of milliseconds. */
  async remove(key: string, limit = RESPONSE_LIMIT): Promise<void> {
    await this.#request(({ client, s3 }, bucket) =>
      client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key }), {
        abortSignal: AbortSignal.timeout(limit),
      }),
    );
  }

  /** Lists the objects whose keys begin with a prefix, and when each was last put. */
  async *list(prefix: string): AsyncGenerator<{ key: string; time: number }> {
    let next: string | undefined;
    do {
      const found = await this.#request(({ client, s3 }, bucket) =>
        client.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: next })),
      );
      for (const { Key = '', LastModified } of found.Contents ?? [])
        yield { key: Key, time: LastModified?.getTime() ?? 0 };
      next = found.NextContinuationToken;
    } while (next !== undefined);
  }
}

async function ifExists<Result>(found: Promise<Result>): Promise<Result | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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
