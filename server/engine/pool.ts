import { DomainError } from '../../routers/engine/errors.ts';
import { type Engine, splittingEngine } from '../../routers/engine/tasks/engine.ts';
import type { Engines } from '../../routers/engine/tasks/engines.ts';
import { startWorker, type Worker, type WorkerLimits, WorkerLost } from './worker.ts';

export interface PoolOptions extends WorkerLimits {
  /** Maximum number of workers. */
  workers: number;
  /** Maximum number of waiting tasks, of all callers and of one. */
  waiting: number;
  waitingOfOne: number;
  /** Idle time after which a worker ends, in milliseconds. */
  idle: number;
}

/** Events of the pool, for metrics. */
interface PoolEvents {
  /** A task has ended; `seconds` is the time since a worker started it. */
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

/** A task that waits for a worker. */
interface Ticket {
  caller: string;
  begin(worker: Worker): Promise<void>;
  refuse(error: Error): void;
}

const busy = () => new DomainError('unavailable', 'The service is too busy right now; try again soon.');
const stopping = () => new DomainError('unavailable', 'The service is stopping.');

/** Runs large tasks in worker processes, started on demand. */
export function openPool(options: PoolOptions, start: typeof startWorker = startWorker): Pool {
  const idleWorkers: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  const all = new Set<Worker>();
  const running = new Map<string, number>();
  let queue: Ticket[] = [];
  let closed = false;
  let events: PoolEvents = { ended: () => undefined };

  const takeWorker = (): Worker | undefined => {
    for (let idle = idleWorkers.pop(); idle; idle = idleWorkers.pop()) {
      clearTimeout(idle.timer);
      if (idle.worker.isAlive) return idle.worker;
      all.delete(idle.worker);
    }
    if (all.size >= options.workers) return undefined;
    const worker = start(options);
    all.add(worker);
    return worker;
  };

  const giveBack = (worker: Worker) => {
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

  /** The first waiting task of the callers with the fewest running: many tasks of one caller do not hold up another. */
  const nextTicket = (): Ticket | undefined => {
    const underWay = ({ caller }: Ticket) => running.get(caller) ?? 0;
    const [first, ...others] = queue;
    if (!first) return undefined;
    const next = others.reduce(
      (least, ticket) => (underWay(ticket) < underWay(least) ? ticket : least),
      first,
    );
    return queue.splice(queue.indexOf(next), 1)[0];
  };

  const advance = () => {
    while (queue.length > 0) {
      const worker = takeWorker();
      if (!worker) return;
      const ticket = nextTicket() as Ticket;
      const { caller } = ticket;
      running.set(caller, (running.get(caller) ?? 0) + 1);
      void ticket.begin(worker).finally(() => {
        const left = (running.get(caller) ?? 1) - 1;
        if (left === 0) running.delete(caller);
        else running.set(caller, left);
        giveBack(worker);
        advance();
      });
    }
  };

  const engineOf = (caller: string): Engine => ({
    run(name, input, reader) {
      if (closed) return Promise.reject(stopping());
      const ofCaller = queue.filter((ticket) => ticket.caller === caller).length;
      if (queue.length >= options.waiting || ofCaller >= options.waitingOfOne) return Promise.reject(busy());
      return new Promise((resolve, reject) => {
        let attempts = 0;
        const ticket: Ticket = {
          caller,
          refuse: reject,
          async begin(worker) {
            const begun = performance.now();
            const end = (outcome: Parameters<PoolEvents['ended']>[1]) =>
              events.ended(name, outcome, (performance.now() - begun) / 1000);
            try {
              const output = await worker.run(name, input, reader);
              end('done');
              resolve(output);
            } catch (error) {
              end(error instanceof DomainError ? 'refused' : 'failed');
              attempts += 1;
              // The worker was killed from outside: the task may be retried.
              if (error instanceof WorkerLost && !closed && attempts === 1) queue.unshift(ticket);
              else reject(error instanceof WorkerLost ? (closed ? stopping() : lost(error)) : error);
            }
          },
        };
        queue.push(ticket);
        advance();
      });
    },
  });

  return {
    for: (caller) => splittingEngine(engineOf(caller)),
    get running() {
      return [...running.values()].reduce((sum, count) => sum + count, 0);
    },
    get waiting() {
      return queue.length;
    },
    get workers() {
      return all.size;
    },
    observe(observer) {
      events = observer;
    },
    async close() {
      closed = true;
      for (const { refuse } of queue) refuse(stopping());
      queue = [];
      for (const { timer } of idleWorkers) clearTimeout(timer);
      await Promise.all([...all].map((worker) => worker.end()));
    },
  };
}

function lost(cause: Error): DomainError {
  const error = new DomainError('unavailable', 'The service could not finish this; try again.');
  error.cause = cause;
  return error;
}
