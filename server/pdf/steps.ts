/** Runs the steps of generating a book, each in a process that can be killed. */

import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

export interface StepLimits {
  /** Memory limit of the process, in bytes. */
  memory: number;
  /** Time limit of a step, in milliseconds. */
  time: number;
}

const LIMITS: StepLimits = { memory: 1.4e9, time: 180_000 };

/** How often the memory of a step is checked, in milliseconds. */
const WATCH_INTERVAL = 100;

/** A step was killed or failed. Its input is assumed to be the cause; callers retry with smaller parts of it. */
export class StepFailed extends Error {}

/** The process of a step ended without a message: something else may have killed it. */
class StepCrashed extends StepFailed {}

export interface StepOptions {
  signal: AbortSignal;
  limits?: StepLimits;
}

/** Runs a step, twice if its process crashes. */
export async function runStep<Result>(step: object, options: StepOptions): Promise<Result> {
  try {
    return await runOnce<Result>(step, options);
  } catch (error) {
    // guard: pdf-step-retry
    if (!(error instanceof StepCrashed)) throw error;
    return runOnce<Result>(step, options);
  }
}

type Message = { type: 'done'; result: unknown } | { type: 'failed'; error: string };

/** Runs a step once, in a process of low priority without this one's environment. */
function runOnce<Result>(step: object, { signal, limits = LIMITS }: StepOptions): Promise<Result> {
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
    // guard: pdf-step-timeout
    const timer = setTimeout(() => end('takes too long'), limits.time);
    const watch = setInterval(() => {
      void memoryOf(child.pid).then((bytes) => {
        if (bytes > limits.memory) end('takes too much memory');
      });
    }, WATCH_INTERVAL);
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
    child.send(step, () => undefined);
  });
}

const PAGE_SIZE = 4096;

/** The resident memory of a process in bytes; 0 where `/proc` is not available. */
async function memoryOf(pid: number | undefined): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/statm`, 'utf8');
    return Number(text.split(' ')[1]) * PAGE_SIZE;
  } catch {
    return 0;
  }
}
