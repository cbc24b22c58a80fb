import { Worker } from 'node:worker_threads';
import type { Logger } from '../../../routers/base/context.ts';
import type { Outcome, Task, WorkerMessage } from './protocol.ts';

/** How long one text may take, in milliseconds. */
const TIMEOUT = 3000;

/** Idle milliseconds after which the worker stops. */
const IDLE_TIMEOUT = 60_000;

/** Undefined if it failed this time, and may succeed later or in another process. */
export type RenderResult = Outcome | undefined;

interface Current {
  id: number;
  task: Task;
  done: (result: RenderResult) => void;
}

/**
 * The thread that renders texts, one at a time. It starts with the first text, and stops when idle. If a text takes too long,
 * the thread is terminated, and the next text starts a new one.
 */
export class HighlightWorker {
  readonly #logger: Logger;
  #worker: Worker | undefined;
  #current: Current | undefined;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  #isClosed = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Renders a text; the one before must be done. */
  render(task: Task): Promise<RenderResult> {
    return new Promise((done) => {
      if (this.#isClosed) return done(undefined);
      clearTimeout(this.#timer);
      const isNew = this.#worker === undefined;
      this.#worker ??= this.#start();
      this.#count += 1;
      this.#current = { id: this.#count, task, done };
      this.#worker.postMessage({ id: this.#count, value: task } satisfies WorkerMessage<Task>);
      // A new worker gets more time, to load its code.
      const limit = isNew ? 5 * TIMEOUT : TIMEOUT;
      this.#timer = setTimeout(() => this.#abandon('it took too long'), limit).unref();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#current?.done(undefined);
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    worker.unref();
    worker.on('message', ({ id, value }: WorkerMessage<Outcome>) => {
      if (id === this.#current?.id) this.#finish(value);
    });
    worker.on('error', (error) => this.#abandon(error.message));
    return worker;
  }

  #finish(outcome: RenderResult): void {
    const finished = this.#current;
    this.#current = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stop(), IDLE_TIMEOUT).unref();
    finished?.done(outcome);
  }

  #stop(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Terminates the worker, and gives up its text. */
  #abandon(reason: string): void {
    const failed = this.#worker;
    this.#worker = undefined;
    failed?.removeAllListeners();
    failed?.on('error', () => undefined);
    void failed?.terminate();
    const kind = this.#current?.task.kind;
    if (kind) this.#logger.warn({ reason, kind }, 'a text is shown without highlighting');
    this.#finish(undefined);
  }
}
