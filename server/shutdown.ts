import { setTimeout as sleep } from 'node:timers/promises';

/** Why the process ends: a signal, or an unexpected error. */
export type Cause = { signal: NodeJS.Signals } | { error: unknown };

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls `end` once, at the first signal or unexpected error, and exits with the code it returns; after `limit`
 * milliseconds the process exits with 1 in any case. Later signals are ignored: under npm, one Ctrl-C arrives twice, from
 * the terminal and from npm, and must not interrupt the shutdown.
 * @returns a function to end for other reasons.
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
  // Unhandled rejections arrive here as well.
  process.on('uncaughtException', (error) => onCause({ error }));
  return onCause;
}

/** Waits until work is done, for at most `limit` milliseconds. */
export async function atMost(limit: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(limit, undefined, { ref: false })]);
}
