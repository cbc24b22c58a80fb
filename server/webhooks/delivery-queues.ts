import {
  FairShare,
  type FairShareOptions,
  type Shares,
  type Slot,
  type Waiter,
} from '../hardening/fair-share.ts';

/** Limits for the attempts in progress in one process: in all, for an organization, and (as `user`) for a webhook. */
export interface SendingLimits {
  /** Those that have just begun. */
  quick: Shares;
  /** Those at receivers that are known to be slow. */
  slow: Shares;
  /** Those that have turned out to take longer. */
  stalled: Shares;
}

/** Maximum number of concurrent attempts for one webhook, once its receiver has proved quick. */
const MAX_CONCURRENCY = 16;

/** How long a receiver that was slow counts as slow, in milliseconds, unless it proves quick before. */
const SLOW_TIME = 600_000;

/** After this many attempts in a row without a response, there are pauses between the attempts at a receiver. */
const PAUSED_AFTER = 3;

/** The first pause, doubled with each further attempt, and the longest one, in milliseconds. */
const FIRST_PAUSE = 5000;
const LONGEST_PAUSE = 60_000;

/** The state of the deliveries of one webhook. */
interface WebhookQueue {
  webhook: string;
  organization: string;
  /** Whether deliveries may be due that are not in progress. */
  isDue: boolean;
  /** The number of attempts that are not recorded yet, and its limit. */
  inProgress: number;
  concurrency: number;
  /** Until when its receiver counts as slow. */
  slowUntil: number;
  /** The number of attempts since the last one with a response, and until when there is a pause. */
  failures: number;
  pausedUntil: number;
  /** Until when what is known about its receiver must be kept. */
  knownUntil: number;
  /** Requests for slots, and slots for attempts that have not begun. */
  waiting: Set<Waiter>;
  lane: FairShare;
  slots: Slot[];
}

/** An attempt in progress. */
export interface AttemptInProgress {
  queue: WebhookQueue;
  slot: Slot;
  isSlow: boolean;
}

/** How many deliveries of a webhook may be sent next. */
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
 * Decides which deliveries are sent next. No receiver delays those of other organizations: slots are distributed by
 * organization, each webhook has one attempt at a time until its receiver has proved quick, and an attempt that takes long
 * gives up its slot. Slow receivers have separate slots, and there are pauses for receivers that do not respond.
 */
export class DeliveryQueues {
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #quick: FairShare;
  readonly #slow: FairShare;
  readonly #stalled: FairShare;
  /** Queues that have slots. */
  #next = new Set<WebhookQueue>();

  constructor({ quick, slow, stalled }: SendingLimits) {
    this.#quick = new FairShare({ slots: quick, ...UNLIMITED_WAITING });
    this.#slow = new FairShare({ slots: slow, ...UNLIMITED_WAITING });
    this.#stalled = new FairShare({ slots: stalled, ...UNLIMITED_WAITING });
  }

  /** Call this when deliveries of a webhook may be due. */
  add(webhook: string, organization: string, now = Date.now()): void {
    let queue = this.#queues.get(webhook);
    if (!queue) {
      queue = {
        webhook,
        organization,
        isDue: true,
        inProgress: 0,
        // guard: webhook-one-attempt
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

  /** The webhooks whose turn it is, with how many deliveries may be sent. `releaseUnused` must follow. */
  next(): NextDeliveries[] {
    const queues = [...this.#next];
    this.#next = new Set();
    return queues.map((queue) => {
      queue.isDue = false;
      return { webhook: queue.webhook, limit: queue.slots.length };
    });
  }

  /** Begins an attempt at a delivery of a webhook; undefined if it is not the webhook's turn. */
  begin(webhook: string, now = Date.now()): AttemptInProgress | undefined {
    const queue = this.#queues.get(webhook);
    const slot = queue?.slots.pop();
    if (!queue || !slot) return undefined;
    queue.inProgress++;
    return { queue, slot, isSlow: queue.slowUntil > now };
  }

  /** Releases slots for which no attempt has begun; webhooks that used all of theirs may have more deliveries. */
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

  /** Call this when an attempt takes long: others no longer wait for it. */
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

  /** Ends an attempt, which still counts toward the concurrency of its webhook until it is recorded. */
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

  /** Call this once the result of an attempt has been recorded. */
  finish({ queue }: AttemptInProgress, now = Date.now()): void {
    queue.inProgress--;
    this.#request(queue, now);
  }

  /** Ends pauses that are over, and removes webhooks about which nothing needs to be kept. */
  cleanUp(now = Date.now()): void {
    for (const queue of this.#queues.values()) {
      this.#request(queue, now);
      const { webhook, isDue, inProgress, waiting, slots, knownUntil } = queue;
      if (!isDue && inProgress + waiting.size + slots.length === 0 && knownUntil <= now)
        this.#queues.delete(webhook);
    }
  }

  /** Requests the slots that a queue may have. */
  #request(queue: WebhookQueue, now: number): void {
    // guard: webhook-pause
    if (!queue.isDue || queue.pausedUntil > now) return;
    const { organization, webhook: user } = queue;
    if (queue.waiting.size === 0) queue.lane = queue.slowUntil > now ? this.#slow : this.#quick;
    const wanted = queue.concurrency - queue.inProgress - queue.waiting.size - queue.slots.length;
    for (let i = 0; i < wanted; i++) {
      let waiter: Waiter | undefined;
      // guard: webhook-share
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
