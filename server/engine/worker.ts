import { AsyncLocalStorage } from 'node:async_hooks';
import { fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { DomainError, LimitExceeded } from '../../routers/engine/errors.ts';
import { jsonOf, type NewObject, type ObjectReader, ObjectText } from '../../routers/engine/store/objects.ts';
import { isBuffer } from '../../routers/engine/tasks/engine.ts';
import type { TaskInput, TaskName, TaskOutput } from '../../routers/engine/tasks/tasks.ts';
import { packInput, unpackOutput } from '../../routers/engine/tasks/wire.ts';
import { BytesReceiver, detachBytes, partsOf } from './large-bytes.ts';
import type { FromWorker, SentObject, ToWorker } from './protocol.ts';

/** Characters of objects copied to a worker before yielding to the event loop: some milliseconds. */
const COPY_BATCH = 4_000_000;

/** The worker exited before its task was done, for a reason that is not known to be the task's fault. */
export class WorkerLostError extends Error {}

export interface Worker {
  /** Runs a task, one at a time. After a failure other than an error of the task, the worker must not be used again. */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    reader: ObjectReader,
  ): Promise<TaskOutput<Name>>;
  readonly isAlive: boolean;
  readonly pid: number | undefined;
  end(): Promise<void>;
}

export interface WorkerLimits {
  /** Maximum heap size, in megabytes. */
  memory: number;
  /** Time limit for one task, in milliseconds. */
  time: number;
  /** Whether it runs at a lower priority than other processes. */
  isInBackground?: boolean;
}

/**
 * Starts a process for large tasks, which ends with this one. It is not a thread, because V8 aborts the whole process if one
 * of its threads runs out of memory.
 */
export function startWorker({ memory, time, isInBackground = false }: WorkerLimits): Worker {
  const child = fork(new URL('./worker-main.ts', import.meta.url), {
    // It gets neither the options nor the secrets of this process.
    // With the usual four threads, its garbage collection would hold up requests on two cores.
    execArgv: [`--max-old-space-size=${memory}`, '--v8-pool-size=1'],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  if (isInBackground && child.pid !== undefined)
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  child.unref();
  child.channel?.unref();
  let fail: (error: Error) => void = () => undefined;
  let isAlive = true;
  const lose = (error: Error) => {
    isAlive = false;
    fail(error);
  };
  const exited = new Promise<void>((resolve) => {
    child.on('error', (cause) => {
      lose(new WorkerLostError('the worker could not be started', { cause }));
      resolve();
    });
    child.on('exit', (code, signal) => {
      lose(causeOfExit(code, signal));
      resolve();
    });
  });

  // Sending fails only if the worker has exited, which its exit event reports.
  const post = (message: ToWorker) => child.send(message, () => undefined);
  const postTask = async (name: TaskName, input: unknown) => {
    const { bytes, ...detached } = detachBytes(input);
    for (const part of partsOf(bytes)) {
      if (!isAlive) return;
      post(part);
      await setImmediate();
    }
    post({ type: 'task', name, input: detached });
  };
  return {
    pid: child.pid,
    get isAlive() {
      return isAlive;
    },
    run: (name, input, reader) =>
      new Promise((resolve, reject) => {
        let unread: unknown;
        const timer = setTimeout(() => {
          lose(new LimitExceeded('unavailable', `This takes longer than ${time / 1000} seconds.`));
          child.kill('SIGKILL');
        }, time);
        const end = () => {
          clearTimeout(timer);
          child.removeAllListeners('message');
          fail = () => undefined;
        };
        fail = (error) => {
          end();
          reject(error);
        };
        const arrived = new BytesReceiver();
        const receive = (sent: unknown) => {
          const message = sent as FromWorker;
          switch (message.type) {
            case 'part':
              arrived.add(message);
              break;
            case 'read':
              sendObjects(reader, message.hashes).then(
                (objects) => post({ type: 'objects', request: message.request, objects }),
                (error: unknown) => {
                  unread = error;
                  post({ type: 'objects', request: message.request, objects: undefined });
                },
              );
              break;
            case 'done':
              end();
              if (isBuffer(reader)) reader.adopt(message.objects.map(received));
              resolve(unpackOutput(name, arrived.attachTo(message.output)));
              break;
            case 'refused': {
              const { code, message: text, details } = message.refusal;
              fail(new DomainError(code, text, details));
              break;
            }
            case 'failed':
              fail((unread ?? message.error) as Error);
          }
        };
        // It reads for the caller of this task, not for the caller that the process was started for.
        child.on('message', AsyncLocalStorage.bind(receive));
        void postTask(name, packInput(name, input));
      }),
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Reads objects as text, and yields to the event loop while many are copied. */
async function sendObjects(reader: ObjectReader, hashes: readonly string[]): Promise<SentObject[]> {
  const sent: SentObject[] = [];
  let copied = 0;
  for (const [hash, object] of await reader.read(hashes)) {
    const json = jsonOf(object);
    sent.push([hash, object.kind, json]);
    copied += json.length;
    if (copied > COPY_BATCH) {
      copied = 0;
      await setImmediate();
    }
  }
  return sent;
}

/** A new object, which is parsed only on demand. */
function received([hash, kind, json]: SentObject): [hash: string, object: NewObject] {
  const text = new ObjectText(kind, json);
  return [
    hash,
    {
      kind,
      json,
      get body() {
        return text.body;
      },
    },
  ];
}

/** The error for a worker that exited: V8 aborts if memory is exhausted; anything else was caused from outside. */
function causeOfExit(code: number | null, signal: NodeJS.Signals | null): Error {
  if (signal !== 'SIGABRT') return new WorkerLostError(`the worker ended (${signal ?? code})`);
  return new LimitExceeded('invalid', 'This needs more memory than a request may use.');
}
