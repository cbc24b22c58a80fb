import type { Steps } from '../../routers/engine/steps.ts';

/** Runs a computation that can be interrupted without interrupting it. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
