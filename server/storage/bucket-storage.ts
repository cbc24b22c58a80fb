import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileStorage } from '../../routers/base/ports.ts';
import { Bucket } from './bucket.ts';
import { storageFailure } from './bucket-errors.ts';
import type { BucketSettings } from './bucket-settings.ts';

/** A removal ends at most this long after it was announced, in milliseconds. */
const REMOVAL_LIMIT = 20_000;

/** After this time, in milliseconds, a removal takes no effect any more, even if its outcome is unknown. */
const ANNOUNCEMENT_LIFETIME = 3 * REMOVAL_LIMIT;

/** An announcement that is older than this, in milliseconds, has been left behind, whatever the clocks are. */
const OLD_ANNOUNCEMENT = 60 * 60_000;

/** How often to check whether a removal has ended, in milliseconds. */
const POLL = 200;

const isOld = (time: number): boolean => time < Date.now() - OLD_ANNOUNCEMENT;

/** The resolution of times in S3, in milliseconds. */
const CLOCK_STEP = 1000;

/**
 * Stores files in a bucket of S3 or a compatible server, by hash: `<prefix>files/<sha256>`. The time of an object is when it
 * was last put.
 *
 * S3 cannot delete an object depending on its time, so a removal is announced (`<prefix>removing/<sha256>/<id>`) before it
 * checks the time, and a `put` looks for announcements after it has written. If the removal announces itself later than that,
 * it sees the new time; if it is still under way, the `put` sees it and waits; if it has ended, the `put` sees whether the file
 * is still there.
 */
export function openBucketStorage(settings: BucketSettings): FileStorage {
  const bucket = new Bucket(settings);
  const files = `${settings.prefix}files/`;
  const keyOf = (sha256: string) => files + sha256;
  const removing = `${settings.prefix}removing/`;
  const announcements = (sha256: string) => `${removing}${sha256}/`;

  async function* list(before = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
    for await (const { key, time } of bucket.list(files))
      if (time + CLOCK_STEP <= before) yield key.slice(files.length);
  }

  /** Removes the announcements that failed removals, and killed processes, have left behind. */
  async function removeOldAnnouncements(): Promise<void> {
    for await (const { key, time } of bucket.list(removing)) if (isOld(time)) await bucket.remove(key);
  }

  /** Waits until no process is removing the file; returns whether one was. */
  const waitForRemovals = async (sha256: string): Promise<boolean> => {
    const begun = Date.now();
    for (let waited = false; ; waited = true) {
      const announced: string[] = [];
      for await (const { key, time } of bucket.list(announcements(sha256)))
        if (!isOld(time)) announced.push(key);
      if (announced.length === 0) return waited;
      if (Date.now() - begun < ANNOUNCEMENT_LIFETIME) await sleep(POLL);
      else for (const key of announced) await bucket.remove(key);
    }
  };

  return {
    async put(sha256, bytes) {
      const key = keyOf(sha256);
      if (!(await bucket.touch(key))) await bucket.write(key, bytes);
      // guard: bucket-removal-wait, bucket-removal-ended
      while ((await waitForRemovals(sha256)) || !(await bucket.head(key))) {
        if (await bucket.touch(key)) continue;
        // A stream cannot be read again.
        if (!(bytes instanceof Uint8Array))
          throw storageFailure(new Error(`${sha256} was removed while it was stored again.`), settings);
        await bucket.write(key, bytes);
      }
    },
    read: (sha256, range) => bucket.read(keyOf(sha256), range),
    size: async (sha256) => (await bucket.head(keyOf(sha256)))?.size,
    list: () => list(),
    async *listStale(before) {
      await removeOldAnnouncements();
      yield* list(before.getTime());
    },
    async removeStale(sha256, before) {
      const key = keyOf(sha256);
      const isStale = async () => {
        const time = (await bucket.head(key))?.time;
        return time !== undefined && time + CLOCK_STEP <= before.getTime();
      };
      if (!(await isStale())) return false;
      const announcement = announcements(sha256) + randomUUID();
      await bucket.writeEmpty(announcement);
      const begun = Date.now();
      let left = 0;
      // guard: bucket-removal-stale
      if (await isStale()) left = REMOVAL_LIMIT - (Date.now() - begun);
      // If this fails, the storage may still carry it out: the announcement stays, so that whoever stores the file waits.
      if (left > 0) await bucket.remove(key, left);
      await bucket.remove(announcement);
      return left > 0;
    },
  };
}
