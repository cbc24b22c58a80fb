import { DomainError } from '../../routers/engine/errors.ts';

interface Waiter {
  caller: string;
  begin(): void;
}

export interface TurnLimits {
  /** Maximum number running at once. */
  atOnce: number;
  /** Maximum number waiting. */
  waiting: number;
}

/**
 * Limits concurrent work: a number in all and one per caller at once, in order of arrival. For work that holds a shared
 * resource, such as a database connection, while it waits for a worker.
 */
export function createTurns({ atOnce, waiting }: TurnLimits) {
  const running = new Set<string>();
  const waiters: Waiter[] = [];

  const advance = () => {
    while (running.size < atOnce) {
      const index = waiters.findIndex(({ caller }) => !running.has(caller));
      const [next] = index < 0 ? [] : waiters.splice(index, 1);
      if (!next) return;
      running.add(next.caller);
      next.begin();
    }
  };

  return async <Result>(caller: string, work: () => Promise<Result>): Promise<Result> => {
    if (waiters.length >= waiting)
      throw new DomainError('unavailable', 'The service is too busy right now; try again soon.');
    await new Promise<void>((begin) => {
      waiters.push({ caller, begin });
      advance();
    });
    try {
      return await work();
    } finally {
      running.delete(caller);
      advance();
    }
  };
}
