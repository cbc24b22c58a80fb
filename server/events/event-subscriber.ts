import type { TrackedEnvelope } from '@trpc/server';
import type { Subscription } from '../../routers/base/ports.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import type { EventObject } from '../../routers/events/events.api.ts';

type Envelope = TrackedEnvelope<EventObject>;
type Result = IteratorResult<Envelope, undefined>;

/** Maximum number of events that wait for a slow reader; more than are read at once. */
const MAX_WAITING = 1000;

/** The queue of events of one stream, as an iterator. */
export class Subscriber implements AsyncIterableIterator<Envelope, undefined> {
  readonly subscription: Subscription;
  /** The number of the event that the stream started after or has caught up to. */
  after: number;
  #waiting: Envelope[] = [];
  #reader: { resolve: (result: Result) => void; reject: (error: Error) => void } | undefined;
  #onDrained: (() => void) | undefined;
  #onClose: () => void;
  #failure: DomainError | undefined;
  #isClosed = false;

  constructor(subscription: Subscription, onClose: () => void) {
    this.subscription = subscription;
    this.after = subscription.after;
    this.#onClose = onClose;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds an event. If the reader is too slow, its queue is dropped and the stream fails: it can resume where it was. */
  push(envelope: Envelope): void {
    if (this.#isClosed) return;
    // guard: event-waiting-limit
    if (this.#reader) {
      const { resolve } = this.#reader;
      this.#reader = undefined;
      resolve({ done: false, value: envelope });
    } else if (this.#waiting.push(envelope) > MAX_WAITING) {
      this.#waiting = [];
      this.fail(new DomainError('unavailable', 'Events were not read fast enough: resume the stream.'));
    }
  }

  /** Ends the stream with an error once the queue has been read. */
  fail(failure: DomainError): void {
    if (this.#isClosed) return;
    this.#failure = failure;
    this.#end();
  }

  /** Ends the stream at once. */
  close(): void {
    if (this.#isClosed) return;
    this.#waiting = [];
    this.#end();
  }

  #end(): void {
    this.#isClosed = true;
    this.#onClose();
    this.#onDrained?.();
    const reader = this.#reader;
    this.#reader = undefined;
    if (!reader) return;
    if (this.#failure) reader.reject(this.#failure);
    else reader.resolve({ done: true, value: undefined });
  }

  /** Resolves when the queue is empty or the stream has ended. */
  drained(): Promise<void> {
    if (this.#waiting.length === 0 || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  next(): Promise<Result> {
    const value = this.#waiting.shift();
    if (value) {
      if (this.#waiting.length === 0) this.#onDrained?.();
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<Result> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
