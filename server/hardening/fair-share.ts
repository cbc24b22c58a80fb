import type { Caller } from '../../routers/base/caller.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { type HeapItem, IndexedHeap } from './indexed-heap.ts';

/** Numbers for everybody together, for one organization and for one user. */
export interface Shares {
  all: number;
  organization: number;
  user: number;
}

export interface FairShareOptions {
  /** Places, and how many of them one organization and one user may hold. */
  slots: Shares;
  /** The same for those that wait for a place; nobody waits by default. */
  waiting?: Shares;
  /** What callers are told when they may neither have a place nor wait for one. */
  messages: Record<keyof Shares, string>;
}

/** A place that is held, or several of them. */
export interface Slot {
  /** Gives it back; does nothing if that was done. */
  release(): void;
}

/** A request that waits for its place. */
export interface Waiter extends HeapItem {
  readonly queue: Queue;
  readonly arrival: number;
  readonly onGranted: (slot: Slot) => void;
}

/** One user in one organization: lines and organizations with the same number of places are served in turn. */
interface Queue extends HeapItem {
  readonly organization: Organization;
  readonly user: User;
  readonly waiters: IndexedHeap<Waiter>;
  inUse: number;
  lastServed: number;
}

interface Organization extends HeapItem {
  readonly id: string;
  /** Its lines by user, and those of them that may have a place. */
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
  a.inUse === b.inUse ? a.lastServed < b.lastServed : a.inUse < b.inUse;

/**
 * Shares out a number of places (max-min fairness): a free one goes to the organization with the fewest among those that
 * wait, in it to the user with the fewest, and of those to the one served longest ago. Nobody holds more than their share,
 * so that others find a place at once however long the work of one takes. Each operation takes O(log n).
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

  /** Places that are held, and requests that wait. */
  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiters;
  }

  /**
   * Takes places at once.
   * @throws DomainError `too-many` beyond the caller's share or that of their organization, `unavailable` if none is left
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

  /** The same, but undefined if there is none for the caller. */
  tryAcquire(caller: Caller): Slot | undefined {
    const queue = this.#queueOf(caller);
    if (!exceededLimit(this.#slots, 1, [queue.user.inUse, queue.organization.inUse, this.#inUse]))
      return this.#grant(queue, 1);
    this.#discardIfIdle(queue);
    return undefined;
  }

  /**
   * Calls `begin` with a place: at once if there is one, or in turn.
   * @returns the request, if it waits
   * @throws DomainError `too-many` if too many of the caller's or their organization's wait, `unavailable` if too many do
   */
  request(caller: Caller, onGranted: (slot: Slot) => void): Waiter | undefined {
    const queue = this.#queueOf(caller);
    const { user, organization } = queue;
    if (!exceededLimit(this.#slots, 1, [user.inUse, organization.inUse, this.#inUse])) {
      onGranted(this.#grant(queue, 1));
      return undefined;
    }
    const exceeded = exceededLimit(this.#waiting, 1, [user.waiting, organization.waiting, this.#waiters]);
    if (exceeded) throw this.#limitError(queue, exceeded);
    const waiter: Waiter = { queue, onGranted, arrival: ++this.#clock, position: -1 };
    queue.waiters.put(waiter);
    this.#addWaiting(queue, 1);
    this.#updateReady(queue);
    return waiter;
  }

  /** Ends a request that waits. */
  cancel(waiter: Waiter): void {
    if (waiter.position < 0) return;
    const { queue } = waiter;
    queue.waiters.remove(waiter);
    this.#addWaiting(queue, -1);
    this.#updateReady(queue);
    this.#discardIfIdle(queue);
  }

  /**
   * Waits for a place, for at most `limit` milliseconds.
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

  /** Runs work in a place. @throws DomainError as `acquire` */
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
    if (wasFull !== user.inUse >= this.#slots.user) for (const other of user.queues) this.#updateReady(other);
  }

  #addWaiting({ user, organization }: Queue, change: 1 | -1): void {
    user.waiting += change;
    organization.waiting += change;
    this.#waiters += change;
  }

  /** Puts a line and its organization where they belong after a change. */
  #updateReady(queue: Queue): void {
    const { organization, user, waiters } = queue;
    if (waiters.size > 0 && user.inUse < this.#slots.user) organization.ready.put(queue);
    else organization.ready.remove(queue);
    if (organization.ready.size > 0 && organization.inUse < this.#slots.organization)
      this.#ready.put(organization);
    else this.#ready.remove(organization);
  }

  /** Gives free places to those that wait. */
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
    // Until it is known whom it is for, work counts under the user alone.
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

  /** Drops what is known of a line that neither holds a place nor waits for one. */
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

/** The first number that would be exceeded by `count` more. */
function exceededLimit(
  { user, organization, all }: Shares,
  count: number,
  [ofUser, ofOrganization, ofAll]: [user: number, organization: number, all: number],
): keyof Shares | undefined {
  if (ofUser + count > user) return 'user';
  if (ofOrganization + count > organization) return 'organization';
  return ofAll + count > all ? 'all' : undefined;
}
