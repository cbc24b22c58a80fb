import { expect, test } from 'vitest';
import { runInTurns } from '../routers/base/run-in-turns.ts';
import type { Steps } from '../routers/engine/steps.ts';

test('a long computation lets others have a turn, and returns its result', async () => {
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  function* compute(): Steps<number> {
    let steps = 0;
    const end = performance.now() + 1000;
    for (; !isServed && performance.now() < end; steps++) yield;
    return steps;
  }
  expect(await runInTurns(compute())).toBeGreaterThan(0);
  expect(isServed).toBe(true);
});
