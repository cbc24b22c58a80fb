/** Attempts of one process under way: those that began a moment ago, those that take longer, and all of them. */
export interface SendingLimits {
  quick: number;
  slow: number;
  all: number;
}

/** Attempts at the deliveries of one webhook at the same time, once its receiver has proved quick. */
const WIDEST = 16;

/** For how long a receiver that was slow counts as slow, in milliseconds, unless it proves quick before. */
const SLOW_TIME = 600_000;

/** The deliveries of one webhook. */
interface Line {
  webhook: string;
  /** Whether some may be due that are not under way. */
  isDue: boolean;
  /** Attempts that are not yet recorded, and how many there may be. */
  underWay: number;
  width: number;
  /** Until when its receiver counts as slow. */
  slowUntil: number;
}

/** An attempt under way. */
export interface Turn {
  line: Line;
  isSlow: boolean;
}

/**
 * Whose deliveries are sent next. No receiver delays those of others: each webhook has one attempt at a time until its
 * receiver has proved quick, and an attempt that takes long no longer counts against the limit of those that others wait
 * for. What is sent to slow receivers has a limit of its own.
 */
export class WebhookLines {
  readonly #limits: SendingLimits;
  readonly #lines = new Map<string, Line>();
  #quick = 0;
  #slow = 0;

  constructor(limits: SendingLimits) {
    this.#limits = limits;
  }

  /** Notes that deliveries of a webhook may be due. */
  add(webhook: string): void {
    this.#lineOf(webhook).isDue = true;
  }

  /** The webhooks whose turn it is, with how many deliveries may be sent. The next time, others come first. */
  next(now = Date.now()): { webhook: string; limit: number }[] {
    const { quick, slow, all } = this.#limits;
    const free = { quick: quick - this.#quick, slow: slow - this.#slow, all: all - this.#quick - this.#slow };
    const chosen: { webhook: string; limit: number }[] = [];
    for (const line of [...this.#lines.values()]) {
      if (!line.isDue) continue;
      const lane = line.slowUntil > now ? 'slow' : 'quick';
      const limit = Math.min(line.width - line.underWay, free[lane], free.all);
      if (limit <= 0) continue;
      free[lane] -= limit;
      free.all -= limit;
      line.isDue = false;
      this.#lines.delete(line.webhook);
      this.#lines.set(line.webhook, line);
      chosen.push({ webhook: line.webhook, limit });
    }
    return chosen;
  }

  /** An attempt begins. */
  begin(webhook: string, now = Date.now()): Turn {
    const line = this.#lineOf(webhook);
    const isSlow = line.slowUntil > now;
    line.underWay++;
    this.#count(isSlow, 1);
    return { line, isSlow };
  }

  /** An attempt takes long: others no longer wait for it. */
  slowDown(turn: Turn, now = Date.now()): void {
    turn.line.slowUntil = now + SLOW_TIME;
    turn.line.width = 1;
    if (turn.isSlow) return;
    this.#count(false, -1);
    this.#count(true, 1);
    turn.isSlow = true;
  }

  /** An attempt ends; it still counts against the width of its webhook. */
  end(
    turn: Turn,
    { isQuick, isAnswered }: { isQuick: boolean; isAnswered: boolean },
    now = Date.now(),
  ): void {
    this.#count(turn.isSlow, -1);
    const { line } = turn;
    line.slowUntil = isQuick ? 0 : now + SLOW_TIME;
    line.width = isQuick && isAnswered ? Math.min(line.width * 2, WIDEST) : 1;
  }

  /** What came of an attempt is recorded. */
  release({ line }: Turn): void {
    line.underWay--;
  }

  /** Forgets the webhooks that nothing is known of. */
  tidy(now = Date.now()): void {
    for (const [webhook, { isDue, underWay, slowUntil }] of this.#lines)
      if (!isDue && underWay === 0 && slowUntil <= now) this.#lines.delete(webhook);
  }

  #lineOf(webhook: string): Line {
    let line = this.#lines.get(webhook);
    if (!line) {
      line = { webhook, isDue: false, underWay: 0, width: 1, slowUntil: 0 };
      this.#lines.set(webhook, line);
    }
    return line;
  }

  #count(isSlow: boolean, change: 1 | -1): void {
    if (isSlow) this.#slow += change;
    else this.#quick += change;
  }
}
