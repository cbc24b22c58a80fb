const MINUTE = 60 * 1000;

const FIRST_DELAY = 10 * MINUTE;
const LONGEST_DELAY = 24 * 60 * MINUTE;

/**
 * When to fetch an OpenAPI spec again.
 * @param failures the number of times that it failed since it last succeeded: the delay doubles with each, up to a day
 * @param interval milliseconds between successes; 0 for never
 * @param jitter from 0 to 1: spreads OpenAPI specs that were fetched at the same time
 */
export function nextFetch(failures: number, interval: number, now: Date, jitter: number): Date | null {
  if (interval === 0) return null;
  const delay =
    failures === 0
      ? interval
      : Math.max(Math.min(interval, FIRST_DELAY) * 2 ** Math.min(failures - 1, 20), MINUTE);
  return new Date(now.getTime() + Math.min(delay, Math.max(LONGEST_DELAY, interval)) * (1 + jitter / 10));
}
