import { setTimeout as sleep } from 'node:timers/promises';

/** Why the process ends: a signal, or an unexpected error. */
export type Cause = { signal: NodeJS.Signals } | { error: unknown };

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls `end` once, at the first signal or unexpected error, and exits with the code it returns; after `limit`
 * milliseconds, the process exits with 1 in any case. Later signals are ignored: under npm, one Ctrl-C arrives twice, from
 * the terminal and from npm, and must not interrupt the shutdown.
 * @returns a function that shuts down for another reason
 */
export function onShutdown(limit: number, end: (cause: Cause) => Promise<number>): (cause: Cause) => void {
  let isEnding = false;
  const shutDown = (cause: Cause) => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), limit);
    end(cause).then(
      (code) => process.exit(code),
      (error: Error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, () => shutDown({ signal }));
  // Unhandled rejections arrive here as well.
  process.on('uncaughtException', (error) => shutDown({ error }));
  return shutDown;
}

/** Waits for work, but at most `limit` milliseconds. */
export async function waitAtMost(limit: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(limit, undefined, { ref: false })]);
}
