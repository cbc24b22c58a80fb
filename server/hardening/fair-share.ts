import type { Caller } from '../../routers/base/caller.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { type HeapItem, IndexedHeap } from './indexed-heap.ts';

/** Limits for all callers together, for one organization and for one user. */
export interface Shares {
  all: number;
  organization: number;
  user: number;
}

export interface FairShareOptions {
  /** The number of slots, and how many of them one organization and one user may use. */
  slots: Shares;
  /** The same for requests that wait for a slot; by default, none may wait. */
  waiting?: Shares;
  /** Error messages for callers who may neither have a slot nor wait for one, by the limit that they exceed. */
  messages: Record<keyof Shares, string>;
}

/** An acquired slot, or several of them. */
export interface Slot {
  /** Releases it; does nothing if it was already released. */
  release(): void;
}

/** A request that waits for a slot. */
export interface Waiter extends HeapItem {
  readonly queue: Queue;
  readonly arrival: number;
  readonly onGranted: (slot: Slot) => void;
}

/** The requests of one user in one organization. Queues, and organizations, with equally many slots are served in turn. */
interface Queue extends HeapItem {
  readonly organization: Organization;
  readonly user: User;
  readonly waiters: IndexedHeap<Waiter>;
  inUse: number;
  lastServed: number;
}

interface Organization extends HeapItem {
  readonly id: string;
  /** Its queues by user, and those of them that may get a slot. */
  readonly queues: Map<string, Queue>;
  readonly ready: IndexedHeap<Queue>;
  inUse: number;
  waiting: number;
  lastServed: number;
}

/** A user in all organizations. */
interface User {
  readonly id: string;
  readonly queues: Set<Queue>;
  inUse: number;
  waiting: number;
}

const NO_WAITING: Shares = { all: 0, organization: 0, user: 0 };

const isServedFirst = (a: { inUse: number; lastServed: number }, b: { inUse: number; lastServed: number }) =>
  // guard: share-fewest-first
  a.inUse === b.inUse ? a.lastServed < b.lastServed : a.inUse < b.inUse;

/**
 * Distributes a number of slots by max-min fairness: a free one goes to the waiting organization that uses the fewest, in it
 * to the user who uses the fewest, and among equals to the one served longest ago. Nobody uses more than their share, so
 * that others get a slot at once however long somebody's work takes. Each operation takes O(log n).
 */
export class FairShare {
  readonly #slots: Shares;
  readonly #waiting: Shares;
  readonly #messages: FairShareOptions['messages'];
  readonly #organizations = new Map<string, Organization>();
  readonly #users = new Map<string, User>();
  readonly #ready = new IndexedHeap<Organization>(isServedFirst);
  #inUse = 0;
  #waiters = 0;
  #clock = 0;

  constructor({ slots, waiting = NO_WAITING, messages }: FairShareOptions) {
    this.#slots = slots;
    this.#waiting = waiting;
    this.#messages = messages;
  }

  /** The number of slots in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiters;
  }

  /**
   * Acquires slots without waiting.
   * @throws DomainError `too-many` beyond the share of the caller or their organization, `unavailable` if none is free
   */
  acquireNow(caller: Caller, count = 1): Slot {
    const queue = this.#queueOf(caller);
    const exceeded = exceededLimit(this.#slots, count, [
      queue.user.inUse,
      queue.organization.inUse,
      this.#inUse,
    ]);
    if (exceeded) throw this.#limitError(queue, exceeded);
    return this.#grant(queue, count);
  }

  /** Acquires one slot without waiting; undefined if there is none for the caller. */
  tryAcquire(caller: Caller): Slot | undefined {
    const queue = this.#queueOf(caller);
    if (!exceededLimit(this.#slots, 1, [queue.user.inUse, queue.organization.inUse, this.#inUse]))
      return this.#grant(queue, 1);
    this.#discardIfIdle(queue);
    return undefined;
  }

  /**
   * Calls `onGranted` with a slot: at once if one is free, or else in turn.
   * @returns the request, if it waits
   * @throws DomainError `too-many` if too many of the caller or their organization wait, `unavailable` if too many do in all
   */
  request(caller: Caller, onGranted: (slot: Slot) => void): Waiter | undefined {
    const queue = this.#queueOf(caller);
    const { user, organization } = queue;
    if (!exceededLimit(this.#slots, 1, [user.inUse, organization.inUse, this.#inUse])) {
      onGranted(this.#grant(queue, 1));
      return undefined;
    }
    // guard: share-waiting-limit
    const exceeded = exceededLimit(this.#waiting, 1, [user.waiting, organization.waiting, this.#waiters]);
    if (exceeded) throw this.#limitError(queue, exceeded);
    const waiter: Waiter = { queue, onGranted, arrival: ++this.#clock, position: -1 };
    queue.waiters.put(waiter);
    this.#addWaiting(queue, 1);
    this.#updateReady(queue);
    return waiter;
  }

  /** Cancels a waiting request. */
  cancel(waiter: Waiter): void {
    if (waiter.position < 0) return;
    const { queue } = waiter;
    queue.waiters.remove(waiter);
    this.#addWaiting(queue, -1);
    this.#updateReady(queue);
    this.#discardIfIdle(queue);
  }

  /**
   * Waits for a slot, for at most `limit` milliseconds.
   * @throws DomainError as `request`; `unavailable` at the limit
   */
  acquire(caller: Caller, limit?: number): Promise<Slot> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiter = this.request(caller, (slot) => {
        clearTimeout(timer);
        resolve(slot);
      });
      if (!waiter || limit === undefined) return;
      timer = setTimeout(() => {
        this.cancel(waiter);
        reject(new DomainError('unavailable', this.#messages.all));
      }, limit);
    });
  }

  /** Runs work while holding a slot. @throws DomainError as `acquire` */
  async run<Result>(caller: Caller, work: () => Promise<Result>, limit?: number): Promise<Result> {
    const slot = await this.acquire(caller, limit);
    try {
      return await work();
    } finally {
      slot.release();
    }
  }

  #grant(queue: Queue, count: number): Slot {
    let inUse = count;
    queue.lastServed = ++this.#clock;
    // guard: share-in-turn
    queue.organization.lastServed = queue.lastServed;
    this.#addInUse(queue, count);
    return {
      release: () => {
        if (inUse === 0) return;
        inUse = 0;
        this.#addInUse(queue, -count);
        this.#grantFree();
        this.#discardIfIdle(queue);
      },
    };
  }

  #addInUse(queue: Queue, change: number): void {
    const { user, organization } = queue;
    const wasFull = user.inUse >= this.#slots.user;
    queue.inUse += change;
    organization.inUse += change;
    user.inUse += change;
    this.#inUse += change;
    this.#updateReady(queue);
    // A user has one share in all organizations together.
    // guard: share-user-everywhere
    if (wasFull !== user.inUse >= this.#slots.user) for (const other of user.queues) this.#updateReady(other);
  }

  #addWaiting({ user, organization }: Queue, change: 1 | -1): void {
    user.waiting += change;
    organization.waiting += change;
    this.#waiters += change;
  }

  /** Updates whether, and in which order, a queue and its organization may get a slot. */
  #updateReady(queue: Queue): void {
    const { organization, user, waiters } = queue;
    // guard: share-user-limit
    if (waiters.size > 0 && user.inUse < this.#slots.user) organization.ready.put(queue);
    else organization.ready.remove(queue);
    // guard: share-organization-limit
    if (organization.ready.size > 0 && organization.inUse < this.#slots.organization)
      this.#ready.put(organization);
    else this.#ready.remove(organization);
  }

  /** Grants free slots to waiting requests. */
  #grantFree(): void {
    while (this.#inUse < this.#slots.all) {
      const queue = this.#ready.first?.ready.first;
      const waiter = queue?.waiters.first;
      if (!waiter) return;
      waiter.queue.waiters.remove(waiter);
      this.#addWaiting(waiter.queue, -1);
      waiter.onGranted(this.#grant(waiter.queue, 1));
    }
  }

  #queueOf({ organization: id, user: userId }: Caller): Queue {
    // While the organization is not known, each user counts as one.
    const key = id ?? `user ${userId}`;
    let organization = this.#organizations.get(key);
    const known = organization?.queues.get(userId);
    if (known) return known;
    if (!organization) {
      const ready = new IndexedHeap<Queue>(isServedFirst);
      organization = {
        id: key,
        queues: new Map(),
        ready,
        inUse: 0,
        waiting: 0,
        lastServed: ++this.#clock,
        position: -1,
      };
      this.#organizations.set(key, organization);
    }
    let user = this.#users.get(userId);
    if (!user) {
      user = { id: userId, queues: new Set(), inUse: 0, waiting: 0 };
      this.#users.set(userId, user);
    }
    const waiters = new IndexedHeap<Waiter>((a, b) => a.arrival < b.arrival);
    const queue = { organization, user, waiters, inUse: 0, lastServed: ++this.#clock, position: -1 };
    organization.queues.set(userId, queue);
    user.queues.add(queue);
    return queue;
  }

  /** Removes a queue that neither uses slots nor waits for any. */
  #discardIfIdle(queue: Queue): void {
    if (queue.inUse > 0 || queue.waiters.size > 0) return;
    const { organization, user } = queue;
    if (organization.queues.get(user.id) !== queue) return;
    organization.queues.delete(user.id);
    if (organization.queues.size === 0) this.#organizations.delete(organization.id);
    user.queues.delete(queue);
    if (user.queues.size === 0) this.#users.delete(user.id);
  }

  #limitError(queue: Queue, exceeded: keyof Shares): DomainError {
    this.#discardIfIdle(queue);
    return new DomainError(exceeded === 'all' ? 'unavailable' : 'too-many', this.#messages[exceeded]);
  }
}

/** The first limit that `count` more would exceed. */
function exceededLimit(
  { user, organization, all }: Shares,
  count: number,
  [ofUser, ofOrganization, ofAll]: [user: number, organization: number, all: number],
): keyof Shares | undefined {
  if (ofUser + count > user) return 'user';
  if (ofOrganization + count > organization) return 'organization';
  return ofAll + count > all ? 'all' : undefined;
}
