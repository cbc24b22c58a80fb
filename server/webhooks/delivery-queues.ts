import {
  FairShare,
  type FairShareOptions,
  type Place,
  type Shares,
  type Waiter,
} from '../hardening/fair-share.ts';

/** Attempts of one process under way, with the shares of an organization and of a webhook. */
export interface SendingLimits {
  /** Those that began a moment ago. */
  quick: Shares;
  /** Those at receivers that are known to be slow. */
  slow: Shares;
  /** Those that turned out to take longer. */
  turned: Shares;
}

/** Attempts at the deliveries of one webhook at the same time, once its receiver has proved quick. */
const WIDEST = 16;

/** For how long a receiver that was slow counts as slow, in milliseconds, unless it proves quick before. */
const SLOW_TIME = 600_000;

/** After this many attempts in a row without a response, a receiver has pauses between attempts. */
const PAUSED_AFTER = 3;

/** The first pause, doubled with each further attempt, and the longest one, in milliseconds. */
const FIRST_PAUSE = 5000;
const LONGEST_PAUSE = 60_000;

/** The deliveries of one webhook. */
interface Line {
  webhook: string;
  organization: string;
  /** Whether some may be due that are not under way. */
  isDue: boolean;
  /** Attempts that are not yet recorded, and how many there may be. */
  underWay: number;
  width: number;
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
  free: Place[];
}

/** An attempt under way. */
export interface Turn {
  line: Line;
  place: Place;
  isSlow: boolean;
}

/** The next deliveries of a webhook. */
export interface Chosen {
  webhook: string;
  limit: number;
}

const NOBODY_REFUSED: Pick<FairShareOptions, 'waiting' | 'refusals'> = {
  // Webhooks are limited in number.
  waiting: {
    all: Number.POSITIVE_INFINITY,
    organization: Number.POSITIVE_INFINITY,
    user: Number.POSITIVE_INFINITY,
  },
  refusals: { user: '', organization: '', all: '' },
};

/**
 * Whose deliveries are sent next. No receiver delays those of other organizations: places are shared out by organization,
 * each webhook has one attempt at a time until its receiver has proved quick, and an attempt that takes long gives its place
 * up. What is sent to slow receivers has places of its own, and receivers that do not respond have pauses.
 */
export class DeliveryQueues {
  readonly #lines = new Map<string, Line>();
  readonly #quick: FairShare;
  readonly #slow: FairShare;
  readonly #turned: FairShare;
  /** Lines that have places. */
  #chosen = new Set<Line>();

  constructor({ quick, slow, turned }: SendingLimits) {
    this.#quick = new FairShare({ places: quick, ...NOBODY_REFUSED });
    this.#slow = new FairShare({ places: slow, ...NOBODY_REFUSED });
    this.#turned = new FairShare({ places: turned, ...NOBODY_REFUSED });
  }

  /** Notes that deliveries of a webhook of an organization may be due. */
  add(webhook: string, organization: string, now = Date.now()): void {
    let line = this.#lines.get(webhook);
    if (!line) {
      line = {
        webhook,
        organization,
        isDue: true,
        underWay: 0,
        width: 1,
        slowUntil: 0,
        failures: 0,
        pausedUntil: 0,
        knownUntil: 0,
        waiting: new Set(),
        lane: this.#quick,
        free: [],
      };
      this.#lines.set(webhook, line);
    }
    line.isDue = true;
    this.#request(line, now);
  }

  /** The webhooks whose turn it is, with how many deliveries may be sent. `settle` must follow. */
  next(): Chosen[] {
    const lines = [...this.#chosen];
    this.#chosen = new Set();
    return lines.map((line) => {
      line.isDue = false;
      return { webhook: line.webhook, limit: line.free.length };
    });
  }

  /** An attempt begins at a delivery of a webhook whose turn it is; undefined if it is not. */
  begin(webhook: string, now = Date.now()): Turn | undefined {
    const line = this.#lines.get(webhook);
    const place = line?.free.pop();
    if (!line || !place) return undefined;
    line.underWay++;
    return { line, place, isSlow: line.slowUntil > now };
  }

  /** Gives up the places of those that no attempt has begun for; all others may have more deliveries. */
  settle(chosen: readonly Chosen[], now = Date.now()): void {
    for (const { webhook } of chosen) {
      const line = this.#lines.get(webhook);
      if (!line) continue;
      const unused = line.free.splice(0);
      this.#chosen.delete(line);
      for (const place of unused) place.release();
      if (unused.length === 0) line.isDue = true;
      this.#request(line, now);
    }
  }

  /** An attempt takes long: others no longer wait for it. */
  slowDown(turn: Turn, now = Date.now()): void {
    const { line } = turn;
    line.slowUntil = line.knownUntil = now + SLOW_TIME;
    line.width = 1;
    this.#withdraw(line);
    if (turn.isSlow) return;
    turn.isSlow = true;
    const place = this.#turned.tryTake({ organization: line.organization, user: line.webhook });
    if (!place) return;
    turn.place.release();
    turn.place = place;
  }

  /** An attempt ends; it still counts against the width of its webhook. */
  end(
    turn: Turn,
    { isQuick, isAnswered }: { isQuick: boolean; isAnswered: boolean },
    now = Date.now(),
  ): void {
    const { line } = turn;
    line.slowUntil = isQuick ? 0 : now + SLOW_TIME;
    line.width = isQuick && isAnswered ? Math.min(line.width * 2, WIDEST) : 1;
    line.failures = isAnswered ? 0 : line.failures + 1;
    line.pausedUntil = now + pauseAfter(line.failures);
    line.knownUntil = isQuick && isAnswered ? 0 : now + SLOW_TIME;
    turn.place.release();
  }

  /** What came of an attempt is recorded. */
  release({ line }: Turn, now = Date.now()): void {
    line.underWay--;
    this.#request(line, now);
  }

  /** Ends pauses that are over, and forgets the webhooks that nothing is known of. */
  tidy(now = Date.now()): void {
    for (const line of this.#lines.values()) {
      this.#request(line, now);
      const { webhook, isDue, underWay, waiting, free, knownUntil } = line;
      if (!isDue && underWay + waiting.size + free.length === 0 && knownUntil <= now)
        this.#lines.delete(webhook);
    }
  }

  /** Requests the places that a line may have. */
  #request(line: Line, now: number): void {
    if (!line.isDue || line.pausedUntil > now) return;
    const { organization, webhook: user } = line;
    if (line.waiting.size === 0) line.lane = line.slowUntil > now ? this.#slow : this.#quick;
    const wanted = line.width - line.underWay - line.waiting.size - line.free.length;
    for (let i = 0; i < wanted; i++) {
      let waiter: Waiter | undefined;
      waiter = line.lane.request({ organization, user }, (place) => {
        if (waiter) line.waiting.delete(waiter);
        line.free.push(place);
        this.#chosen.add(line);
      });
      if (waiter) line.waiting.add(waiter);
    }
  }

  #withdraw({ waiting, lane }: Line): void {
    for (const waiter of waiting) lane.cancel(waiter);
    waiting.clear();
  }
}

const pauseAfter = (failures: number): number =>
  failures < PAUSED_AFTER ? 0 : Math.min(FIRST_PAUSE * 2 ** (failures - PAUSED_AFTER), LONGEST_PAUSE);
