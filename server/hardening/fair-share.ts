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
  places: Shares;
  /** The same for those that wait for a place; nobody waits by default. */
  waiting?: Shares;
  /** What callers are told when they may neither have a place nor wait for one. */
  refusals: Record<keyof Shares, string>;
}

/** A place that is held, or several of them. */
export interface Place {
  /** Gives it back; does nothing if that was done. */
  release(): void;
}

/** A request that waits for its place. */
export interface Waiter extends HeapItem {
  readonly line: Line;
  readonly turn: number;
  readonly begin: (place: Place) => void;
}

/** One user in one organization: lines and organizations with the same number of places are served in turn. */
interface Line extends HeapItem {
  readonly organization: Organization;
  readonly user: User;
  readonly waiters: IndexedHeap<Waiter>;
  held: number;
  turn: number;
}

interface Organization extends HeapItem {
  readonly id: string;
  /** Its lines by user, and those of them that may have a place. */
  readonly lines: Map<string, Line>;
  readonly ready: IndexedHeap<Line>;
  held: number;
  waiting: number;
  turn: number;
}

/** A user in all organizations. */
interface User {
  readonly id: string;
  readonly lines: Set<Line>;
  held: number;
  waiting: number;
}

const NONE: Shares = { all: 0, organization: 0, user: 0 };

const comesFirst = (a: { held: number; turn: number }, b: { held: number; turn: number }) =>
  a.held === b.held ? a.turn < b.turn : a.held < b.held;

/**
 * Shares out a number of places (max-min fairness): a free one goes to the organization with the fewest among those that
 * wait, in it to the user with the fewest, and of those to the one served longest ago. Nobody holds more than their share,
 * so that others find a place at once however long the work of one takes. Each operation takes O(log n).
 */
export class FairShare {
  readonly #places: Shares;
  readonly #waiting: Shares;
  readonly #refusals: FairShareOptions['refusals'];
  readonly #organizations = new Map<string, Organization>();
  readonly #users = new Map<string, User>();
  readonly #ready = new IndexedHeap<Organization>(comesFirst);
  #held = 0;
  #waiters = 0;
  #clock = 0;

  constructor({ places, waiting = NONE, refusals }: FairShareOptions) {
    this.#places = places;
    this.#waiting = waiting;
    this.#refusals = refusals;
  }

  /** Places that are held, and requests that wait. */
  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiters;
  }

  /**
   * Takes places at once.
   * @throws DomainError `too-many` beyond the caller's share or that of their organization, `unavailable` if none is left
   */
  take(caller: Caller, count = 1): Place {
    const line = this.#lineOf(caller);
    const exceeded = exceededOf(this.#places, count, [line.user.held, line.organization.held, this.#held]);
    if (exceeded) throw this.#refusal(line, exceeded);
    return this.#hold(line, count);
  }

  /** The same, but undefined if there is none for the caller. */
  tryTake(caller: Caller): Place | undefined {
    const line = this.#lineOf(caller);
    if (!exceededOf(this.#places, 1, [line.user.held, line.organization.held, this.#held]))
      return this.#hold(line, 1);
    this.#forget(line);
    return undefined;
  }

  /**
   * Calls `begin` with a place: at once if there is one, or in turn.
   * @returns the request, if it waits
   * @throws DomainError `too-many` if too many of the caller's or their organization's wait, `unavailable` if too many do
   */
  request(caller: Caller, begin: (place: Place) => void): Waiter | undefined {
    const line = this.#lineOf(caller);
    const { user, organization } = line;
    if (!exceededOf(this.#places, 1, [user.held, organization.held, this.#held])) {
      begin(this.#hold(line, 1));
      return undefined;
    }
    const exceeded = exceededOf(this.#waiting, 1, [user.waiting, organization.waiting, this.#waiters]);
    if (exceeded) throw this.#refusal(line, exceeded);
    const waiter: Waiter = { line, begin, turn: ++this.#clock, position: -1 };
    line.waiters.put(waiter);
    this.#countWaiting(line, 1);
    this.#refresh(line);
    return waiter;
  }

  /** Ends a request that waits. */
  cancel(waiter: Waiter): void {
    if (waiter.position < 0) return;
    const { line } = waiter;
    line.waiters.remove(waiter);
    this.#countWaiting(line, -1);
    this.#refresh(line);
    this.#forget(line);
  }

  /**
   * Waits for a place, for at most `limit` milliseconds.
   * @throws DomainError as `request`; `unavailable` at the limit
   */
  acquire(caller: Caller, limit?: number): Promise<Place> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiter = this.request(caller, (place) => {
        clearTimeout(timer);
        resolve(place);
      });
      if (!waiter || limit === undefined) return;
      timer = setTimeout(() => {
        this.cancel(waiter);
        reject(new DomainError('unavailable', this.#refusals.all));
      }, limit);
    });
  }

  /** Runs work in a place. @throws DomainError as `acquire` */
  async run<Result>(caller: Caller, work: () => Promise<Result>, limit?: number): Promise<Result> {
    const place = await this.acquire(caller, limit);
    try {
      return await work();
    } finally {
      place.release();
    }
  }

  #hold(line: Line, count: number): Place {
    let held = count;
    line.turn = ++this.#clock;
    line.organization.turn = line.turn;
    this.#countHeld(line, count);
    return {
      release: () => {
        if (held === 0) return;
        held = 0;
        this.#countHeld(line, -count);
        this.#advance();
        this.#forget(line);
      },
    };
  }

  #countHeld(line: Line, change: number): void {
    const { user, organization } = line;
    const wasFull = user.held >= this.#places.user;
    line.held += change;
    organization.held += change;
    user.held += change;
    this.#held += change;
    this.#refresh(line);
    // A user has one share in all organizations together.
    if (wasFull !== user.held >= this.#places.user) for (const other of user.lines) this.#refresh(other);
  }

  #countWaiting({ user, organization }: Line, change: 1 | -1): void {
    user.waiting += change;
    organization.waiting += change;
    this.#waiters += change;
  }

  /** Puts a line and its organization where they belong after a change. */
  #refresh(line: Line): void {
    const { organization, user, waiters } = line;
    if (waiters.size > 0 && user.held < this.#places.user) organization.ready.put(line);
    else organization.ready.remove(line);
    if (organization.ready.size > 0 && organization.held < this.#places.organization)
      this.#ready.put(organization);
    else this.#ready.remove(organization);
  }

  /** Gives free places to those that wait. */
  #advance(): void {
    while (this.#held < this.#places.all) {
      const line = this.#ready.first?.ready.first;
      const waiter = line?.waiters.first;
      if (!waiter) return;
      waiter.line.waiters.remove(waiter);
      this.#countWaiting(waiter.line, -1);
      waiter.begin(this.#hold(waiter.line, 1));
    }
  }

  #lineOf({ organization: id, user: userId }: Caller): Line {
    // Until it is known whom it is for, work counts under the user alone.
    const key = id ?? `user ${userId}`;
    let organization = this.#organizations.get(key);
    const known = organization?.lines.get(userId);
    if (known) return known;
    if (!organization) {
      const ready = new IndexedHeap<Line>(comesFirst);
      organization = {
        id: key,
        lines: new Map(),
        ready,
        held: 0,
        waiting: 0,
        turn: ++this.#clock,
        position: -1,
      };
      this.#organizations.set(key, organization);
    }
    let user = this.#users.get(userId);
    if (!user) {
      user = { id: userId, lines: new Set(), held: 0, waiting: 0 };
      this.#users.set(userId, user);
    }
    const waiters = new IndexedHeap<Waiter>((a, b) => a.turn < b.turn);
    const line = { organization, user, waiters, held: 0, turn: ++this.#clock, position: -1 };
    organization.lines.set(userId, line);
    user.lines.add(line);
    return line;
  }

  /** Drops what is known of a line that neither holds a place nor waits for one. */
  #forget(line: Line): void {
    if (line.held > 0 || line.waiters.size > 0) return;
    const { organization, user } = line;
    if (organization.lines.get(user.id) !== line) return;
    organization.lines.delete(user.id);
    if (organization.lines.size === 0) this.#organizations.delete(organization.id);
    user.lines.delete(line);
    if (user.lines.size === 0) this.#users.delete(user.id);
  }

  #refusal(line: Line, exceeded: keyof Shares): DomainError {
    this.#forget(line);
    return new DomainError(exceeded === 'all' ? 'unavailable' : 'too-many', this.#refusals[exceeded]);
  }
}

/** The first number that would be exceeded by `count` more. */
function exceededOf(
  { user, organization, all }: Shares,
  count: number,
  [ofUser, ofOrganization, ofAll]: [user: number, organization: number, all: number],
): keyof Shares | undefined {
  if (ofUser + count > user) return 'user';
  if (ofOrganization + count > organization) return 'organization';
  return ofAll + count > all ? 'all' : undefined;
}
