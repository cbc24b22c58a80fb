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

const stopping = () => new DomainError('unavailable', 'The service is stopping.');

/** Runs large tasks in worker processes, which are started on demand. */
export function openPool(options: PoolOptions, start: typeof startWorker = startWorker): Pool {
  const idleWorkers: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  const all = new Set<Worker>();
  const { workers: slots, waiting } = options;
  const share = new FairShare({ slots, waiting, messages: BUSY });
  let closed = false;
  let events: PoolEvents = { ended: () => undefined };

  const acquireWorker = (): Worker => {
    for (let idle = idleWorkers.pop(); idle; idle = idleWorkers.pop()) {
      clearTimeout(idle.timer);
      if (idle.worker.isAlive) return idle.worker;
      all.delete(idle.worker);
    }
    const worker = start(options);
    all.add(worker);
    return worker;
  };

  const releaseWorker = (worker: Worker) => {
    if (!worker.isAlive || closed) {
      all.delete(worker);
      return;
    }
    const timer = setTimeout(() => {
      idleWorkers.splice(
        idleWorkers.findIndex((idle) => idle.worker === worker),
        1,
      );
      all.delete(worker);
      void worker.end();
    }, options.idle);
    timer.unref();
    idleWorkers.push({ worker, timer });
  };

  const engineOf = (caller: Parameters<Engines['for']>[0]): Engine => ({
    async run(name, input, reader) {
      for (let attempt = 1; ; attempt++) {
        if (closed) throw stopping();
        // guard: worker-organization
        const slot = await share.acquire(caller);
        try {
          if (closed) throw stopping();
          return await runOn(acquireWorker(), name, input, reader);
        } catch (error) {
          if (!(error instanceof WorkerLostError)) throw error;
          if (closed) throw stopping();
          // The worker was killed from outside: retry the task.
          if (attempt > 1) throw workerLost(error);
        } finally {
          slot.release();
        }
      }
    },
  });

  const runOn = async <Name extends TaskName>(
    worker: Worker,
    name: Name,
    input: TaskInput<Name>,
    reader: ObjectReader,
  ): Promise<TaskOutput<Name>> => {
    const started = performance.now();
    const end = (outcome: Parameters<PoolEvents['ended']>[1]) =>
      events.ended(name, outcome, (performance.now() - started) / 1000);
    try {
      const output = await worker.run(name, input, reader);
      end('done');
      return output;
    } catch (error) {
      end(error instanceof DomainError ? 'refused' : 'failed');
      throw error;
    } finally {
      releaseWorker(worker);
    }
  };

  return {
    for: (caller) => splittingEngine(engineOf(caller)),
    get running() {
      return share.inUse;
    },
    get waiting() {
      return share.waiting;
    },
    get workers() {
      return all.size;
    },
    observe(observer) {
      events = observer;
    },
    async close() {
      closed = true;
      for (const { timer } of idleWorkers) clearTimeout(timer);
      await Promise.all([...all].map((worker) => worker.end()));
    },
  };
}

function workerLost(cause: Error): DomainError {
  const error = new DomainError('unavailable', 'The service could not finish this; try again.');
  error.cause = cause;
  return error;
}
