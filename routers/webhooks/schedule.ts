/** How long a delivery is retried, in milliseconds. */
export const RETRY_TIME = 3 * 24 * 3600 * 1000;

const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 6 * 3600 * 1000;

/**
 * When to retry after a number of failed attempts: the delay is four times as long after each, up to six hours.
 * @param jitter from 0 to 1: spreads deliveries that failed at the same time
 * @returns undefined if that is after `until`
 */
export function nextAttempt(attempts: number, now: Date, until: Date, jitter: number): Date | undefined {
  const delay = Math.min(FIRST_DELAY * 4 ** (attempts - 1), LONGEST_DELAY) * (1 + jitter / 5);
  const next = new Date(now.getTime() + delay);
  return next > until ? undefined : next;
}
