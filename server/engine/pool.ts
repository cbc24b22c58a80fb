import { DomainError } from '../../routers/engine/errors.ts';
import type { ObjectReader } from '../../routers/engine/store/objects.ts';
import { type Engine, splittingEngine } from '../../routers/engine/tasks/engine.ts';
import type { Engines } from '../../routers/engine/tasks/engines.ts';
import type { TaskInput, TaskName, TaskOutput } from '../../routers/engine/tasks/tasks.ts';
import { FairShare, type FairShareOptions } from '../hardening/fair-share.ts';
import { startWorker, type Worker, type WorkerLimits, WorkerLostError } from './worker.ts';

export interface PoolOptions extends WorkerLimits, Required<Pick<FairShareOptions, 'waiting'>> {
  /** Maximum number of workers: in all, for one organization, and for one user. */
  workers: FairShareOptions['slots'];
  /** Idle time after which a worker ends, in milliseconds. */
  idle: number;
}

/** Events of the pool, for metrics. */
interface PoolEvents {
  /** Called when a task has ended, `seconds` after a worker started it. */
  ended(task: string, outcome: 'done' | 'refused' | 'failed', seconds: number): void;
}

export interface Pool extends Engines {
  readonly running: number;
  readonly waiting: number;
  readonly workers: number;
  observe(events: PoolEvents): void;
  /** Ends the workers; running and waiting tasks are rejected. */
  close(): Promise<void>;
}

const BUSY: FairShareOptions['messages'] = {
  user: 'You have too many large tasks waiting; try again soon.',
  organization: 'The organization has too many large tasks waiting; try again soon.',
  all: 'The service is too busy right now; try again soon.',
};

type Caller = Parameters<Engines['for']>[0];
type Task<Name extends TaskName> = [name: Name, input: TaskInput<Name>, reader: ObjectReader];

/** Runs large tasks in worker processes, which are started on demand. */
export const openPool = (options: PoolOptions, start: typeof startWorker = startWorker): Pool =>
  new WorkerPool(options, start);

class WorkerPool implements Pool {
  readonly #options: PoolOptions;
  readonly #startWorker: typeof startWorker;
  readonly #share: FairShare;
  readonly #workers = new Set<Worker>();
  /** The idle workers, each with the timer that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  #events: PoolEvents = { ended: () => undefined };
  #isClosed = false;

  constructor(options: PoolOptions, start: typeof startWorker) {
    const { workers: slots, waiting } = options;
    this.#options = options;
    this.#startWorker = start;
    this.#share = new FairShare({ slots, waiting, messages: BUSY });
  }

  get running(): number {
    return this.#share.inUse;
  }

  get waiting(): number {
    return this.#share.waiting;
  }

  get workers(): number {
    return this.#workers.size;
  }

  observe(events: PoolEvents): void {
    this.#events = events;
  }

  for(caller: Caller): Engine {
    return splittingEngine({ run: (name, input, reader) => this.#run(caller, name, input, reader) });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  async #run<Name extends TaskName>(caller: Caller, ...task: Task<Name>): Promise<TaskOutput<Name>> {
    for (let attempt = 1; ; attempt++) {
      this.#requireOpen();
      // guard: worker-organization
      const slot = await this.#share.acquire(caller);
      try {
        this.#requireOpen();
        return await this.#runIn(this.#acquireWorker(), ...task);
      } catch (error) {
        if (!(error instanceof WorkerLostError)) throw error;
        this.#requireOpen();
        // The worker was killed from outside: retry the task.
        if (attempt > 1) throw workerLost(error);
      } finally {
        slot.release();
      }
    }
  }

  async #runIn<Name extends TaskName>(worker: Worker, ...task: Task<Name>): Promise<TaskOutput<Name>> {
    const [name] = task;
    const started = performance.now();
    const end = (outcome: Parameters<PoolEvents['ended']>[1]) =>
      this.#events.ended(name, outcome, (performance.now() - started) / 1000);
    try {
      const output = await worker.run(...task);
      end('done');
      return output;
    } catch (error) {
      end(error instanceof DomainError ? 'refused' : 'failed');
      throw error;
    } finally {
      this.#releaseWorker(worker);
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new DomainError('unavailable', 'The service is stopping.');
  }

  /** The worker that was used last, if one is idle: the others may end. */
  #acquireWorker(): Worker {
    for (const [worker, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      if (worker.isAlive) return worker;
      this.#workers.delete(worker);
    }
    const worker = this.#startWorker(this.#options);
    this.#workers.add(worker);
    return worker;
  }

  #releaseWorker(worker: Worker): void {
    if (!worker.isAlive || this.#isClosed) {
      this.#workers.delete(worker);
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.delete(worker);
      this.#workers.delete(worker);
      void worker.end();
    }, this.#options.idle).unref();
    this.#idle.set(worker, timer);
  }
}

function workerLost(cause: Error): DomainError {
  const error = new DomainError('unavailable', 'The service could not finish this; try again.');
  error.cause = cause;
  return error;
}
