import { hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../routers/base/context.ts';
import type { Numbered, Outcome, Task, Tokens } from './protocol.ts';

/** Longest text that is coloured or typeset, in characters. */
const MAX_TEXT = { code: 50_000, formula: 5000 };

/** How long one text may take, in milliseconds: one that takes longer is never tried again while it is remembered. */
const TIME = 3000;

/** The worker ends after so many idle milliseconds. */
const IDLE = 60_000;

/** Texts that may wait for the worker. */
const MAX_WAITING = 2000;

/** Approximate bytes of what is kept of finished texts. */
const CACHE_BYTES = 8 * 1024 * 1024;

interface Waiting {
  key: string;
  task: Task;
  done: (outcome: Outcome) => void;
}

export interface Highlighter {
  /** What is known of a text: undefined if it has not been worked on. */
  known(task: Task): Outcome | undefined;
  /** Works on a text, unless that has been done. Never fails: what cannot be made is null. */
  make(task: Task): Promise<Outcome>;
  close(): Promise<void>;
}

const keyOf = (task: Task): string =>
  task.kind === 'code'
    ? hash('sha256', `code ${task.syntax}\n${task.text}`)
    : hash('sha256', `formula ${task.isBlock}\n${task.text}`);

const weigh = (outcome: Outcome): number =>
  200 + (typeof outcome === 'string' ? outcome.length * 2 : sizeOf(outcome ?? []));
const sizeOf = (tokens: Tokens): number =>
  tokens.reduce((sum, line) => sum + line.reduce((all, { t }) => all + 60 + t.length * 2, 60), 0);

/**
 * Colours code and typesets formulas, in a worker, one after the other; what is made is kept by the hash of the text.
 * The worker starts with the first text, and ends when it is idle. A text that takes too long costs the worker, which starts anew.
 */
export function createHighlighter(logger: Logger): Highlighter {
  const cache = new LRUCache<string, { outcome: Outcome }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ outcome }) => weigh(outcome),
  });
  const making = new Map<string, Promise<Outcome>>();
  const queue: Waiting[] = [];
  let worker: Worker | undefined;
  let current: (Waiting & { id: number }) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  let isClosed = false;

  const finish = (outcome: Outcome) => {
    const finished = current;
    current = undefined;
    clearTimeout(timer);
    if (finished) {
      cache.set(finished.key, { outcome });
      finished.done(outcome);
    }
    next();
  };

  const abandon = (reason: string) => {
    const failed = worker;
    worker = undefined;
    failed?.removeAllListeners();
    failed?.on('error', () => undefined);
    void failed?.terminate();
    if (current) logger.warn({ reason, kind: current.task.kind }, 'a text is shown without colours');
    finish(null);
  };

  const start = (): Worker => {
    const started = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    started.unref();
    started.on('message', ({ id, value }: Numbered<Outcome>) => {
      if (id === current?.id) finish(value);
    });
    started.on('error', (error) => abandon(error.message));
    return started;
  };

  const next = () => {
    if (current || isClosed) return;
    const first = queue.shift();
    clearTimeout(timer);
    if (!first) {
      timer = setTimeout(() => {
        void worker?.terminate();
        worker = undefined;
      }, IDLE).unref();
      return;
    }
    const isNew = worker === undefined;
    worker ??= start();
    count += 1;
    current = { ...first, id: count };
    worker.postMessage({ id: current.id, value: first.task } satisfies Numbered<Task>);
    // Loading its code does not count.
    timer = setTimeout(() => abandon('it took too long'), isNew ? 5 * TIME : TIME).unref();
  };

  const isLong = ({ kind, text }: Task) => text.length > MAX_TEXT[kind];

  return {
    known: (task) => (isLong(task) ? null : cache.get(keyOf(task))?.outcome),
    make(task) {
      if (isLong(task)) return Promise.resolve(null);
      const key = keyOf(task);
      const kept = cache.get(key);
      if (kept) return Promise.resolve(kept.outcome);
      let made = making.get(key);
      if (!made) {
        if (isClosed || queue.length >= MAX_WAITING) return Promise.resolve(null);
        made = new Promise<Outcome>((done) => {
          queue.push({ key, task, done });
        }).finally(() => making.delete(key));
        making.set(key, made);
        next();
      }
      return made;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { done } of queue.splice(0)) done(null);
      current?.done(null);
      await worker?.terminate();
    },
  };
}
