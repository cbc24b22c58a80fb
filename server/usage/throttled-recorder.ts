import { LRUCache } from 'lru-cache';
import type { Services } from '../../routers/base/context.ts';

/** Maximum number of keys that are remembered as recorded. */
const MAX_CACHED = 10_000;

/**
 * Makes the function that records when something last happened, for each key at most once in `interval` milliseconds by
 * each process. No request waits for it.
 * @param description names it in the warning if it could not be recorded
 */
export function throttledRecorder(
  { logger }: Pick<Services, 'logger'>,
  {
    interval,
    description,
    save,
  }: { interval: number; description: string; save: (key: string, now: number) => Promise<unknown> },
): (key: string) => void {
  const recorded = new LRUCache<string, true>({ max: MAX_CACHED, ttl: interval });
  return (key) => {
    if (recorded.has(key)) return;
    // guard: token-use-once
    recorded.set(key, true);
    save(key, Date.now()).catch((error: unknown) => {
      recorded.delete(key);
      logger.warn({ err: error }, `${description} could not be recorded`);
    });
  };
}
