import {
  FairShare,
  type FairShareOptions,
  type Shares,
  type Slot,
  type Waiter,
} from '../hardening/fair-share.ts';

/** Attempts of one process under way, with the shares of an organization and of a webhook. */
export interface SendingLimits {
  /** Those that began a moment ago. */
  quick: Shares;
  /** Those at receivers that are known to be slow. */
  slow: Shares;
  /** Those that turned out to take longer. */
  stalled: Shares;
}

/** Attempts at the deliveries of one webhook at the same time, once its receiver has proved quick. */
const MAX_CONCURRENCY = 16;

/** For how long a receiver that was slow counts as slow, in milliseconds, unless it proves quick before. */
const SLOW_TIME = 600_000;

/** After this many attempts in a row without a response, a receiver has pauses between attempts. */
const PAUSED_AFTER = 3;

/** The first pause, doubled with each further attempt, and the longest one, in milliseconds. */
const FIRST_PAUSE = 5000;
const LONGEST_PAUSE = 60_000;

/** The deliveries of one webhook. */
interface WebhookQueue {
  webhook: string;
  organization: string;
  /** Whether some may be due that are not under way. */
  isDue: boolean;
  /** Attempts that are not yet recorded, and how many there may be. */
  inProgress: number;
  concurrency: number;
  /** Until when its receiver counts as slow. */
  slowUntil: number;
  /** Attempts without a response since the last one that had one, and until when there is no further one. */
  failures: number;
  pausedUntil: number;
  /** Until when something is known of its receiver. */
  knownUntil: number;
  /** Requests for places, and places for attempts that have not begun. */
  waiting: Set<Waiter>;
  lane: FairShare;
  slots: Slot[];
}

/** An attempt under way. */
export interface AttemptInProgress {
  queue: WebhookQueue;
  slot: Slot;
  isSlow: boolean;
}

/** The next deliveries of a webhook. */
export interface NextDeliveries {
  webhook: string;
  limit: number;
}

const UNLIMITED_WAITING: Pick<FairShareOptions, 'waiting' | 'messages'> = {
  // Webhooks are limited in number.
  waiting: {
    all: Number.POSITIVE_INFINITY,
    organization: Number.POSITIVE_INFINITY,
    user: Number.POSITIVE_INFINITY,
  },
  messages: { user: '', organization: '', all: '' },
};

/**
 * Whose deliveries are sent next. No receiver delays those of other organizations: places are shared out by organization,
 * each webhook has one attempt at a time until its receiver has proved quick, and an attempt that takes long gives its place
 * up. What is sent to slow receivers has places of its own, and receivers that do not respond have pauses.
 */
export class DeliveryQueues {
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #quick: FairShare;
  readonly #slow: FairShare;
  readonly #stalled: FairShare;
  /** Lines that have places. */
  #next = new Set<WebhookQueue>();

  constructor({ quick, slow, stalled }: SendingLimits) {
    this.#quick = new FairShare({ slots: quick, ...UNLIMITED_WAITING });
    this.#slow = new FairShare({ slots: slow, ...UNLIMITED_WAITING });
    this.#stalled = new FairShare({ slots: stalled, ...UNLIMITED_WAITING });
  }

  /** Notes that deliveries of a webhook of an organization may be due. */
  add(webhook: string, organization: string, now = Date.now()): void {
    let queue = this.#queues.get(webhook);
    if (!queue) {
      queue = {
        webhook,
        organization,
        isDue: true,
        inProgress: 0,
        concurrency: 1,
        slowUntil: 0,
        failures: 0,
        pausedUntil: 0,
        knownUntil: 0,
        waiting: new Set(),
        lane: this.#quick,
        slots: [],
      };
      this.#queues.set(webhook, queue);
    }
    queue.isDue = true;
    this.#request(queue, now);
  }

  /** The webhooks whose turn it is, with how many deliveries may be sent. `settle` must follow. */
  next(): NextDeliveries[] {
    const queues = [...this.#next];
    this.#next = new Set();
    return queues.map((queue) => {
      queue.isDue = false;
      return { webhook: queue.webhook, limit: queue.slots.length };
    });
  }

  /** An attempt begins at a delivery of a webhook whose turn it is; undefined if it is not. */
  begin(webhook: string, now = Date.now()): AttemptInProgress | undefined {
    const queue = this.#queues.get(webhook);
    const slot = queue?.slots.pop();
    if (!queue || !slot) return undefined;
    queue.inProgress++;
    return { queue, slot, isSlow: queue.slowUntil > now };
  }

  /** Gives up the places of those that no attempt has begun for; all others may have more deliveries. */
  releaseUnused(next: readonly NextDeliveries[], now = Date.now()): void {
    for (const { webhook } of next) {
      const queue = this.#queues.get(webhook);
      if (!queue) continue;
      const unused = queue.slots.splice(0);
      this.#next.delete(queue);
      for (const slot of unused) slot.release();
      if (unused.length === 0) queue.isDue = true;
      this.#request(queue, now);
    }
  }

  /** An attempt takes long: others no longer wait for it. */
  markSlow(attempt: AttemptInProgress, now = Date.now()): void {
    const { queue } = attempt;
    queue.slowUntil = queue.knownUntil = now + SLOW_TIME;
    queue.concurrency = 1;
    this.#withdraw(queue);
    if (attempt.isSlow) return;
    attempt.isSlow = true;
    const slot = this.#stalled.tryAcquire({ organization: queue.organization, user: queue.webhook });
    if (!slot) return;
    attempt.slot.release();
    attempt.slot = slot;
  }

  /** An attempt ends; it still counts against the width of its webhook. */
  end(
    attempt: AttemptInProgress,
    { isQuick, hasResponse }: { isQuick: boolean; hasResponse: boolean },
    now = Date.now(),
  ): void {
    const { queue } = attempt;
    queue.slowUntil = isQuick ? 0 : now + SLOW_TIME;
    queue.concurrency = isQuick && hasResponse ? Math.min(queue.concurrency * 2, MAX_CONCURRENCY) : 1;
    queue.failures = hasResponse ? 0 : queue.failures + 1;
    queue.pausedUntil = now + pauseAfter(queue.failures);
    queue.knownUntil = isQuick && hasResponse ? 0 : now + SLOW_TIME;
    attempt.slot.release();
  }

  /** What came of an attempt is recorded. */
  finish({ queue }: AttemptInProgress, now = Date.now()): void {
    queue.inProgress--;
    this.#request(queue, now);
  }

  /** Ends pauses that are over, and forgets the webhooks that nothing is known of. */
  cleanUp(now = Date.now()): void {
    for (const queue of this.#queues.values()) {
      this.#request(queue, now);
      const { webhook, isDue, inProgress, waiting, slots, knownUntil } = queue;
      if (!isDue && inProgress + waiting.size + slots.length === 0 && knownUntil <= now)
        this.#queues.delete(webhook);
    }
  }

  /** Requests the places that a line may have. */
  #request(queue: WebhookQueue, now: number): void {
    if (!queue.isDue || queue.pausedUntil > now) return;
    const { organization, webhook: user } = queue;
    if (queue.waiting.size === 0) queue.lane = queue.slowUntil > now ? this.#slow : this.#quick;
    const wanted = queue.concurrency - queue.inProgress - queue.waiting.size - queue.slots.length;
    for (let i = 0; i < wanted; i++) {
      let waiter: Waiter | undefined;
      waiter = queue.lane.request({ organization, user }, (slot) => {
        if (waiter) queue.waiting.delete(waiter);
        queue.slots.push(slot);
        this.#next.add(queue);
      });
      if (waiter) queue.waiting.add(waiter);
    }
  }

  #withdraw({ waiting, lane }: WebhookQueue): void {
    for (const waiter of waiting) lane.cancel(waiter);
    waiting.clear();
  }
}

const pauseAfter = (failures: number): number =>
  failures < PAUSED_AFTER ? 0 : Math.min(FIRST_PAUSE * 2 ** (failures - PAUSED_AFTER), LONGEST_PAUSE);
