import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../routers/base/context.ts';
import { DomainError } from '../../../routers/engine/errors.ts';
import { FairShare } from '../../hardening/fair-share.ts';
import { type Numbered, type Outcome, type Task, type Tokens, taskKey } from './protocol.ts';

/** Longest text that is coloured or typeset, in characters. */
const MAX_TEXT = { code: 50_000, formula: 5000 };

/** How long one text may take, in milliseconds: one that takes longer is never tried again while it is remembered. */
const TIME = 3000;

/** The worker ends after so many idle milliseconds. */
const IDLE = 60_000;

/** Texts that may wait for the worker, of all and of one organization. */
const WAITING = { all: 4000, organization: 1000, user: 1000 };

/** Approximate bytes of what is kept of finished texts. */
const CACHE_BYTES = 8 * 1024 * 1024;

const ONE = { all: 1, organization: 1, user: 1 };
const BUSY = 'Too many texts wait for their colours.';

/** Undefined for what could not be made this time: another process, or another time, may have more luck. */
type Made = Outcome | undefined;

interface Current {
  id: number;
  key: string;
  task: Task;
  done: (made: Made) => void;
}

export interface Highlighter {
  /**
   * Works on a text of an organization, unless that has been done. What can never be made is null; undefined if too many
   * wait, or it took too long.
   */
  make(task: Task, organization: string): Promise<Made>;
  close(): Promise<void>;
}

const weigh = (outcome: Made): number =>
  200 + (typeof outcome === 'string' ? outcome.length * 2 : sizeOf(outcome ?? []));
const sizeOf = (tokens: Tokens): number =>
  tokens.reduce((sum, line) => sum + line.reduce((all, { t }) => all + 60 + t.length * 2, 60), 0);

/**
 * Colours code and typesets formulas, in a worker, one after the other, of organizations in turn; what is made is kept by the
 * hash of the text. The worker starts with the first text, and ends when it is idle. A text that takes too long costs the
 * worker, which starts anew.
 */
export function createHighlighter(logger: Logger): Highlighter {
  const cache = new LRUCache<string, { outcome: Made }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ outcome }) => weigh(outcome),
  });
  const making = new Map<string, Promise<Made>>();
  const turns = new FairShare({
    places: ONE,
    waiting: WAITING,
    refusals: { all: BUSY, organization: BUSY, user: BUSY },
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

  const finish = (outcome: Made) => {
    const finished = current;
    current = undefined;
    clearTimeout(timer);
    timer = setTimeout(stop, IDLE).unref();
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
    if (current) logger.warn({ reason, kind: current.task.kind }, 'a text is shown without colours');
    finish(undefined);
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

  const workOn = (key: string, task: Task): Promise<Made> =>
    new Promise((done) => {
      if (isClosed) return done(undefined);
      clearTimeout(timer);
      const isNew = worker === undefined;
      worker ??= start();
      count += 1;
      current = { id: count, key, task, done };
      worker.postMessage({ id: count, value: task } satisfies Numbered<Task>);
      // Loading its code does not count.
      timer = setTimeout(() => abandon('it took too long'), isNew ? 5 * TIME : TIME).unref();
    });

  const inTurn = async (key: string, task: Task, organization: string): Promise<Made> => {
    try {
      return await turns.run({ organization, user: organization }, () => workOn(key, task));
    } catch (error) {
      // Too many wait: it is shown without, and tried again for the next reader.
      if (error instanceof DomainError) return undefined;
      throw error;
    } finally {
      making.delete(key);
    }
  };

  const isLong = ({ kind, text }: Task) => text.length > MAX_TEXT[kind];

  return {
    make(task, organization) {
      if (isLong(task)) return Promise.resolve(null);
      const key = taskKey(task);
      const kept = cache.get(key);
      if (kept) return Promise.resolve(kept.outcome);
      const made = making.get(key) ?? inTurn(key, task, organization);
      making.set(key, made);
      return made;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      current?.done(undefined);
      await worker?.terminate();
    },
  };
}
