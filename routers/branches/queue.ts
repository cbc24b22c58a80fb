import type { BranchQueue } from '../base/hooks.ts';
import { DomainError } from '../engine/errors.ts';

/** How long a writer's first attempt may compute before the next writer starts, in milliseconds. */
const OVERTAKE_AFTER = 100;

/** How many writers may wait for a branch. */
const MAX_WAITING = 500;

/** How long a writer waits, in milliseconds. */
const MAX_WAIT = 120_000;

/**
 * Runs the writers of a branch in this process one after another, so that they do not compute in vain. A waiting writer
 * holds no connection. This only saves work: other processes write too, and each attempt compares before it writes.
 */
export function createBranchQueue({
  overtakeAfter = OVERTAKE_AFTER,
  maxWaiting = MAX_WAITING,
  maxWait = MAX_WAIT,
} = {}): BranchQueue {
  /** The queues by name: how many writers are in each, and a promise for the end of the last one. */
  const queues = new Map<string, { length: number; tail: Promise<void> }>();

  const run = async <Result>(
    name: string,
    {
      overtakeAfter,
      limit = Number.POSITIVE_INFINITY,
    }: { overtakeAfter?: number | undefined; limit?: number },
    work: (computed: () => void) => Promise<Result>,
  ): Promise<Result> => {
    const queue = queues.get(name) ?? { length: 0, tail: Promise.resolve() };
    // guard: branch-queue-length
    if (queue.length > limit) throw tooBusy();
    queues.set(name, queue);
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const before = queue.tail;
    queue.tail = before.then(() => left);
    queue.length++;
    let timer: NodeJS.Timeout | undefined;
    try {
      await waitForTurn(before, maxWait);
      // guard: branch-slow-writer
      if (overtakeAfter !== undefined) timer = setTimeout(leave, overtakeAfter);
      return await work(() => clearTimeout(timer));
    } finally {
      clearTimeout(timer);
      leave();
      queue.length--;
      if (queue.length === 0) queues.delete(name);
    }
  };

  return {
    // Only a first attempt may be refused: others have computed already.
    compute: (branch, { canBeOvertaken }, work) =>
      run(`compute ${branch}`, canBeOvertaken ? { overtakeAfter, limit: maxWaiting } : {}, work),
    commit: (branch, work) => run(`commit ${branch}`, {}, () => work()),
    lastAttempt: (work) => run('last', {}, () => work()),
  };
}

async function waitForTurn(turn: Promise<void>, limit: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooBusy()), limit);
  });
  try {
    await Promise.race([turn, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error for a writer that has to give up. */
export const tooBusy = () =>
  new DomainError('unavailable', 'Too many people are changing this content right now; try again soon.');
