import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '../engine/steps.ts';

/** How long a computation may hold up the process, in milliseconds. */
const MAX_TURN = 10;

/** Runs a computation in short turns of the event loop, so that other requests are served in between. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  let end = performance.now() + MAX_TURN;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    // guard: computation-turns
    if (performance.now() > end) {
      await nextTurn();
      end = performance.now() + MAX_TURN;
    }
  }
}
