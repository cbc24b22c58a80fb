import { setTimeout as sleep } from 'node:timers/promises';

/** Why the process ends: it was told to, or something happened that nobody foresaw. */
export type Cause = { signal: NodeJS.Signals } | { error: unknown };

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls `end` once, at the first signal or unforeseen error, and exits with the code it gives; after `limit` milliseconds
 * the process exits with 1 all the same. Later signals change nothing: under npm one Ctrl-C arrives twice, from the
 * terminal and from npm, and must not cut short the end it has begun (as the package close-with-grace would have it).
 * @returns a function for reasons to end that are found elsewhere.
 */
export function endInOrder(limit: number, end: (cause: Cause) => Promise<number>): (cause: Cause) => void {
  let ending = false;
  const onCause = (cause: Cause) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), limit);
    end(cause).then(
      (code) => process.exit(code),
      (error: Error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, () => onCause({ signal }));
  // Rejections that nobody handles arrive here as well.
  process.on('uncaughtException', (error) => onCause({ error }));
  return onCause;
}

/** Waits until work is done, but for no longer than `limit` milliseconds. */
export async function atMost(limit: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(limit, undefined, { ref: false })]);
}
