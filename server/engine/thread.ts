import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isBuffer } from '../../routers/content/engine/engine.ts';
import type { TaskInput, TaskName, TaskOutput } from '../../routers/content/engine/tasks.ts';
import { packInput, unpackOutput } from '../../routers/content/engine/wire.ts';
import {
  jsonOf,
  type NewObject,
  type ObjectReader,
  ObjectText,
} from '../../routers/content/store/objects.ts';
import { DomainError } from '../../routers/errors.ts';
import type { FromThread, SentObject, ToThread } from './protocol.ts';

/** Characters of objects that are copied to or from another thread before others get their turn: some milliseconds. */
const COPIED_AT_ONCE = 4_000_000;

/** The thread ended before the task did, for no fault of the task that is known. */
export class ThreadLost extends Error {}

export interface Thread {
  /** Does one task; one at a time. The thread is of no use after it failed with anything but an error of the task. */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    reader: ObjectReader,
  ): Promise<TaskOutput<Name>>;
  readonly isAlive: boolean;
  end(): Promise<void>;
}

export interface ThreadLimits {
  /** Megabytes of heap. */
  memory: number;
  /** Milliseconds for one task. */
  time: number;
}

/** Starts a thread for large tasks. It does not keep the process alive. */
export function startThread({ memory, time }: ThreadLimits): Thread {
  const worker = new Worker(new URL('./thread-main.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memory },
    // Options of the process are about the process: test runners load their own code by them.
    execArgv: [],
  });
  worker.unref();
  let fail: (error: Error) => void = () => undefined;
  let isAlive = true;
  const lose = (error: Error) => {
    isAlive = false;
    fail(error);
  };
  worker.on('error', (error) => lose(causeOfEnd(error)));
  worker.on('exit', () => lose(new ThreadLost('the thread ended')));

  const post = (message: ToThread) => worker.postMessage(message);
  return {
    get isAlive() {
      return isAlive;
    },
    run: (name, input, reader) =>
      new Promise((resolve, reject) => {
        let unread: unknown;
        const timer = setTimeout(() => {
          lose(new DomainError('unavailable', `This takes the service longer than ${time / 1000} seconds.`));
          void worker.terminate();
        }, time);
        const end = () => {
          clearTimeout(timer);
          worker.removeAllListeners('message');
          fail = () => undefined;
        };
        fail = (error) => {
          end();
          reject(error);
        };
        worker.on('message', (message: FromThread) => {
          switch (message.type) {
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
              resolve(unpackOutput(name, message.output));
              break;
            case 'refused': {
              const { code, message: text, details } = message.refusal;
              fail(new DomainError(code, text, details));
              break;
            }
            case 'failed':
              fail((unread ?? message.error) as Error);
          }
        });
        post({ type: 'task', name, input: packInput(name, input) });
      }),
    async end() {
      await worker.terminate();
    },
  };
}

/** Reads objects as text, and lets others have their turn while many are copied. */
async function sendObjects(reader: ObjectReader, hashes: readonly string[]): Promise<SentObject[]> {
  const sent: SentObject[] = [];
  let copied = 0;
  for (const [hash, object] of await reader.read(hashes)) {
    const json = jsonOf(object);
    sent.push([hash, object.kind, json]);
    copied += json.length;
    if (copied > COPIED_AT_ONCE) {
      copied = 0;
      await setImmediate();
    }
  }
  return sent;
}

/** An object that is new here, and looked into by few. */
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

function causeOfEnd(error: unknown): Error {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return new ThreadLost('the thread failed', { cause: error });
  return new DomainError('invalid', 'This needs more memory than one request may use.');
}
