import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../routers/base/context.ts';
import { DomainError } from '../../../routers/engine/errors.ts';
import { FairShare } from '../../hardening/fair-share.ts';
import { type Outcome, type Task, type Tokens, taskKey, type WorkerMessage } from './protocol.ts';

/** Maximum length of a text, in characters; longer ones are shown plain. */
const MAX_TEXT = { code: 50_000, formula: 5000 };

/** How long one text may take, in milliseconds. One that takes longer is not tried again while that is in the cache. */
const TIMEOUT = 3000;

/** Idle milliseconds after which the worker stops. */
const IDLE_TIMEOUT = 60_000;

/** How many texts may wait for the worker: in all, and of one organization. */
const MAX_WAITING = { all: 4000, organization: 1000, user: 1000 };

/** Approximate bytes of cached outcomes. */
const CACHE_BYTES = 8 * 1024 * 1024;

const ONE_AT_A_TIME = { all: 1, organization: 1, user: 1 };
const BUSY = 'Too many texts are waiting to be highlighted.';

/** Undefined if it failed this time, and may succeed later or in another process. */
type RenderResult = Outcome | undefined;

interface Current {
  id: number;
  key: string;
  task: Task;
  done: (result: RenderResult) => void;
}

export interface Highlighter {
  /**
   * Renders a text of an organization, or returns the cached outcome. Null if it can never be rendered; undefined if too many
   * texts are waiting, or it took too long.
   */
  render(task: Task, organization: string): Promise<RenderResult>;
  close(): Promise<void>;
}

const weigh = (outcome: RenderResult): number =>
  200 + (typeof outcome === 'string' ? outcome.length * 2 : sizeOf(outcome ?? []));
const sizeOf = (tokens: Tokens): number =>
  tokens.reduce((sum, line) => sum + line.reduce((all, { t }) => all + 60 + t.length * 2, 60), 0);

/**
 * Highlights code and typesets formulas in a worker, one text at a time, taking organizations in turn. Outcomes are cached by
 * the hash of the text. The worker starts with the first text, and stops when idle. If a text takes too long, the worker is
 * terminated, and the next text starts a new one.
 */
export function createHighlighter(logger: Logger): Highlighter {
  const cache = new LRUCache<string, { outcome: RenderResult }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ outcome }) => weigh(outcome),
  });
  const pending = new Map<string, Promise<RenderResult>>();
  const queue = new FairShare({
    slots: ONE_AT_A_TIME,
    waiting: MAX_WAITING,
    messages: { all: BUSY, organization: BUSY, user: BUSY },
  });
  let worker: Worker | undefined;
  let current: Current | undefined;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  let isClosed = false;

  const stop = () => {
    void worker?.terminate();
    worker = undefined;
  };

  const finish = (outcome: RenderResult) => {
    const finished = current;
    current = undefined;
    clearTimeout(timer);
    timer = setTimeout(stop, IDLE_TIMEOUT).unref();
    if (!finished) return;
    cache.set(finished.key, { outcome });
    finished.done(outcome);
  };

  const abandon = (reason: string) => {
    const failed = worker;
    worker = undefined;
    failed?.removeAllListeners();
    failed?.on('error', () => undefined);
    void failed?.terminate();
    if (current) logger.warn({ reason, kind: current.task.kind }, 'a text is shown without highlighting');
    finish(undefined);
  };

  const start = (): Worker => {
    const started = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    started.unref();
    started.on('message', ({ id, value }: WorkerMessage<Outcome>) => {
      if (id === current?.id) finish(value);
    });
    started.on('error', (error) => abandon(error.message));
    return started;
  };

  const runInWorker = (key: string, task: Task): Promise<RenderResult> =>
    new Promise((done) => {
      if (isClosed) return done(undefined);
      clearTimeout(timer);
      const isNew = worker === undefined;
      worker ??= start();
      count += 1;
      current = { id: count, key, task, done };
      worker.postMessage({ id: count, value: task } satisfies WorkerMessage<Task>);
      // A new worker gets more time, to load its code.
      timer = setTimeout(() => abandon('it took too long'), isNew ? 5 * TIMEOUT : TIMEOUT).unref();
    });

  const runQueued = async (key: string, task: Task, organization: string): Promise<RenderResult> => {
    try {
      return await queue.run({ organization, user: organization }, () => runInWorker(key, task));
    } catch (error) {
      // Too many are waiting: the text is shown plain, and tried again for the next reader.
      if (error instanceof DomainError) return undefined;
      throw error;
    } finally {
      pending.delete(key);
    }
  };

  const isLong = ({ kind, text }: Task) => text.length > MAX_TEXT[kind];

  return {
    render(task, organization) {
      if (isLong(task)) return Promise.resolve(null);
      const key = taskKey(task);
      const cached = cache.get(key);
      if (cached) return Promise.resolve(cached.outcome);
      const result = pending.get(key) ?? runQueued(key, task, organization);
      pending.set(key, result);
      return result;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      current?.done(undefined);
      await worker?.terminate();
    },
  };
}
