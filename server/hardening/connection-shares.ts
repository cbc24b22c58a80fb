import { AsyncLocalStorage } from 'node:async_hooks';
import { type Caller, currentCaller } from '../../routers/base/caller.ts';
import { FairShare, type FairShareOptions, type Shares, type Slot } from './fair-share.ts';

const WAITING: Shares = { all: 4000, organization: 1000, user: 500 };

const BUSY: FairShareOptions['messages'] = {
  user: 'You have too many requests in progress; try again soon.',
  organization: 'The organization has too many requests in progress; try again soon.',
  all: 'The service is too busy right now; try again soon.',
};

/** Maximum number of connections that the calls of one request use at the same time. */
const MAX_PER_REQUEST = 4;

const IN_TRANSACTION = Symbol('in a transaction');

/** The share of a request with several calls, or the fact that the code runs in a transaction. */
const scope = new AsyncLocalStorage<FairShare | typeof IN_TRANSACTION>();

/** Runs the calls of one request, so that together they use only a few connections at a time. */
export function inOneRequest<Result>(calls: () => Promise<Result>): Promise<Result> {
  const uniform = (count: number): Shares => ({ all: count, organization: count, user: count });
  const slots = uniform(MAX_PER_REQUEST);
  const waiting = uniform(Number.POSITIVE_INFINITY);
  return scope.run(new FairShare({ slots, waiting, messages: BUSY }), calls);
}

/** A fraction of the connections, but at least one. */
const fractionOf = (size: number, fraction: number) => Math.max(1, Math.floor(size * fraction));

/**
 * Distributes the connections of a pool among callers, by organization and by user. Transactions leave some for statements
 * outside them, and one organization never takes all of them. Work that has no share yet waits without a connection. Work
 * without a caller does not wait: statements that callers share, and what the service does by itself.
 */
export class ConnectionShares {
  readonly #limit: number;
  readonly #transactions: FairShare;
  readonly #statements: FairShare;

  /** @param limit maximum waiting time, in milliseconds */
  constructor(size: number, limit: number) {
    this.#limit = limit;
    this.#transactions = new FairShare({
      // guard: connections-for-reads
      slots: { all: fractionOf(size, 0.8), organization: fractionOf(size, 0.4), user: fractionOf(size, 0.3) },
      waiting: WAITING,
      messages: BUSY,
    });
    this.#statements = new FairShare({
      slots: { all: size, organization: fractionOf(size, 0.5), user: fractionOf(size, 0.4) },
      waiting: WAITING,
      messages: BUSY,
    });
  }

  /** Requests that wait for a share. */
  get waiting(): number {
    return this.#transactions.waiting + this.#statements.waiting;
  }

  /** Runs a transaction. @throws DomainError `too-many` or `unavailable` if too many wait, or it waited too long */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const caller = currentCaller();
    if (!caller) return scope.run(IN_TRANSACTION, work);
    const slot = await this.#acquire(this.#transactions, caller);
    try {
      return await scope.run(IN_TRANSACTION, work);
    } finally {
      slot.release();
    }
  }

  /** Waits for a slot for a statement; undefined if it needs none. @throws DomainError as `transaction` */
  statement(): Promise<Slot> | undefined {
    const caller = currentCaller();
    // A transaction already has its slot; another connection that it uses must not wait for transactions that do the same.
    // guard: connection-beside-transaction
    return caller && scope.getStore() !== IN_TRANSACTION
      ? this.#acquire(this.#statements, caller)
      : undefined;
  }

  async #acquire(share: FairShare, caller: Caller): Promise<Slot> {
    const requestShare = scope.getStore();
    // guard: connection-per-batch
    if (!(requestShare instanceof FairShare)) return share.acquire(caller, this.#limit);
    const requestSlot = await requestShare.acquire(caller);
    try {
      const slot = await share.acquire(caller, this.#limit);
      return {
        release() {
          slot.release();
          requestSlot.release();
        },
      };
    } catch (error) {
      requestSlot.release();
      throw error;
    }
  }
}
