import type { BranchQueue } from '../base/hooks.ts';
import { DomainError } from '../engine/errors.ts';

/** How long the first try of a writer may compute before those behind it begin, in milliseconds. */
const OVERTAKE_AFTER = 100;

/** Writers that may wait for one branch. */
const MAX_WAITING = 500;

/** How long one of them waits, in milliseconds. */
const MAX_WAIT = 120_000;

/**
 * Lets the writers of one branch in this process go one after another, so that they do not compute in vain. Who waits holds
 * no connection. It only saves work: other processes write too, and each try compares before it writes.
 */
export function createBranchQueue({
  lapse = OVERTAKE_AFTER,
  maxWaiting = MAX_WAITING,
  maxWait = MAX_WAIT,
} = {}): BranchQueue {
  /** By what is waited for: how many are there, and the end of the last of them. */
  const lines = new Map<string, { length: number; tail: Promise<void> }>();

  const run = async <Result>(
    name: string,
    { lapseAfter, limit = Number.POSITIVE_INFINITY }: { lapseAfter?: number | undefined; limit?: number },
    work: (computed: () => void) => Promise<Result>,
  ): Promise<Result> => {
    const line = lines.get(name) ?? { length: 0, tail: Promise.resolve() };
    if (line.length > limit) throw tooBusy();
    lines.set(name, line);
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const before = line.tail;
    line.tail = before.then(() => left);
    line.length++;
    let timer: NodeJS.Timeout | undefined;
    try {
      await inTime(before, maxWait);
      if (lapseAfter !== undefined) timer = setTimeout(leave, lapseAfter);
      return await work(() => clearTimeout(timer));
    } finally {
      clearTimeout(timer);
      leave();
      line.length--;
      if (line.length === 0) lines.delete(name);
    }
  };

  return {
    // Only who comes first may be refused: others have computed already.
    compute: (branch, { polite }, work) =>
      run(`compute ${branch}`, polite ? { lapseAfter: lapse, limit: maxWaiting } : {}, work),
    commit: (branch, work) => run(`commit ${branch}`, {}, () => work()),
    last: (work) => run('last', {}, () => work()),
  };
}

async function inTime(turn: Promise<void>, limit: number): Promise<void> {
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

/** The error for a writer that has to give way. */
export const tooBusy = () =>
  new DomainError('unavailable', 'Too many are changing this content right now; try again soon.');
