import type { Logger } from '../routers/base/context.ts';
import { messageOf } from './failures.ts';

/** How long an error is not logged again after a line about it, in milliseconds. */
const INTERVAL = 10_000;

export interface RepeatedErrors {
  /** @param message what could not be done because of the error */
  log(error: unknown, message: string): void;
  /** Forgets what was left out. */
  close(): void;
}

/**
 * Logs errors that repeat many times a second while something is down: the first one at once, and then one line for each
 * interval, with the number of errors with the same message since the line before.
 */
export function openRepeatedErrors(logger: Logger, level: 'error' | 'warn'): RepeatedErrors {
  const recent = new Map<string, { timer: NodeJS.Timeout; count: number; last: unknown }>();
  const wait = (key: string, message: string) => setTimeout(() => report(key, message), INTERVAL).unref();
  const report = (key: string, message: string) => {
    const known = recent.get(key);
    if (!known || known.count === 0) return void recent.delete(key);
    logger[level]({ err: known.last, repeated: known.count }, message);
    recent.set(key, { timer: wait(key, message), count: 0, last: undefined });
  };
  return {
    log(error, message) {
      const key = `${message}: ${messageOf(error)}`;
      const known = recent.get(key);
      if (known) {
        known.count++;
        known.last = error;
        return;
      }
      logger[level]({ err: error }, message);
      recent.set(key, { timer: wait(key, message), count: 0, last: undefined });
    },
    close() {
      for (const { timer } of recent.values()) clearTimeout(timer);
      recent.clear();
    },
  };
}
