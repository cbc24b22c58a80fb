/** Runs the steps of making a book, each in a process of its own that can be killed. */

import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

export interface StepLimits {
  /** Bytes of memory of the process. */
  memory: number;
  /** Milliseconds of one step. */
  time: number;
}

const LIMITS: StepLimits = { memory: 1.4e9, time: 180_000 };

/** How often the memory of a step is looked at, in milliseconds. */
const WATCH = 100;

/** A step that was killed, or failed on its own; what it was working on is to blame until a smaller part of it works. */
export class StepFailed extends Error {}

/** A step whose process ended without a word: something else may have killed it. */
class StepCrashed extends StepFailed {}

export interface StepOptions {
  signal: AbortSignal;
  limits?: StepLimits;
}

/** Runs a step, twice if its process crashes. */
export async function runStep<Result>(order: object, options: StepOptions): Promise<Result> {
  try {
    return await runOnce<Result>(order, options);
  } catch (error) {
    if (!(error instanceof StepCrashed)) throw error;
    return runOnce<Result>(order, options);
  }
}

type Message = { type: 'done'; result: unknown } | { type: 'failed'; error: string };

/** Runs one step in a process that gets neither secrets nor the network from this one, and little of the processors. */
function runOnce<Result>(order: object, { signal, limits = LIMITS }: StepOptions): Promise<Result> {
  signal.throwIfAborted();
  const child = fork(new URL('./typesetter-main.ts', import.meta.url), {
    execArgv: ['--max-old-space-size=1000'],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  return new Promise<Result>((resolve, reject) => {
    let cause: string | undefined;
    const end = (reason: string) => {
      cause = reason;
      child.kill('SIGKILL');
    };
    const abort = () => end('stopped');
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => end('takes too long'), limits.time);
    const watch = setInterval(() => {
      void memoryOf(child.pid).then((bytes) => {
        if (bytes > limits.memory) end('takes too much memory');
      });
    }, WATCH);
    let outcome: Message | undefined;
    child.on('message', (sent) => {
      outcome = sent as Message;
    });
    child.on('error', (error) => {
      cause = error.message;
    });
    child.once('close', () => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
      if (outcome?.type === 'done') resolve(outcome.result as Result);
      else if (signal.aborted) reject(signal.reason);
      else if (outcome || cause !== undefined) reject(new StepFailed(outcome?.error ?? cause));
      else reject(new StepCrashed('the process ended'));
    });
    child.send(order, () => undefined);
  });
}

const PAGE_SIZE = 4096;

/** Bytes of memory that a process has; 0 where the system does not say. */
async function memoryOf(pid: number | undefined): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/statm`, 'utf8');
    return Number(text.split(' ')[1]) * PAGE_SIZE;
  } catch {
    return 0;
  }
}
