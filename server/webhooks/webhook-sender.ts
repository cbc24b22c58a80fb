import type { Context, Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import {
  type Attempt,
  attempt,
  endLeases,
  extendLeases,
  type LeasedDelivery,
  leaseDeliveries,
  readDueWebhooks,
  recordAttempts,
} from '../../routers/webhooks/attempts.operation.ts';
import { openRepeatedErrors, type RepeatedErrors } from '../repeated-errors.ts';
import { waitAtMost } from '../shutdown.ts';
import { type AttemptInProgress, DeliveryQueues, type SendingLimits } from './delivery-queues.ts';

const LIMITS: SendingLimits = {
  quick: { all: 128, organization: 64, user: 16 },
  slow: { all: 64, organization: 16, user: 1 },
  stalled: { all: 800, organization: 200, user: 16 },
};

/** The duration from which an attempt is slow, in milliseconds. */
const SLOW_AFTER = 1000;

/** How often to extend leases and to look for retries that are due and deliveries of killed processes, in milliseconds. */
const CHECK_INTERVAL = 2000;

/** Maximum number of attempts recorded in one statement; each has up to 4 kB of a response. */
const RECORD_BATCH = 100;

export interface WebhookSender {
  /** Sends the waiting deliveries of a webhook as soon as it is its turn. */
  send(webhook: string, organization: string): void;
  /** Waits for attempts in progress, for at most `timeout` milliseconds, and ends the leases of the rest. */
  close(timeout: number): Promise<void>;
}

/** An attempt from its beginning until it is recorded. */
interface TrackedAttempt {
  active: AttemptInProgress;
  ended: Promise<void>;
  result?: Attempt;
}

/**
 * Sends the deliveries of webhooks. Each is leased while an attempt is in progress, so that several processes can share them
 * and none is lost with a process.
 */
export const openWebhookSender = (context: Context): WebhookSender => new LeasingWebhookSender(context);

class LeasingWebhookSender implements WebhookSender {
  readonly #db: Db;
  readonly #services: Services;
  readonly #errors: RepeatedErrors;
  readonly #queues = new DeliveryQueues(LIMITS);
  readonly #inProgress = new Map<string, TrackedAttempt>();
  readonly #timer: NodeJS.Timeout;
  readonly #sendNext = oneAtATime(() =>
    this.#logFailure('deliveries could not be leased', () => this.#lease()),
  );
  readonly #record = oneAtATime(() => this.#recordAll());
  #isClosed = false;

  constructor({ db, services }: Context) {
    this.#db = db;
    this.#services = services;
    this.#errors = openRepeatedErrors(services.logger, 'warn');
    const checkDue = oneAtATime(() => this.#checkDue());
    this.#timer = setInterval(checkDue, CHECK_INTERVAL).unref();
  }

  send(webhook: string, organization: string): void {
    this.#queues.add(webhook, organization);
    void this.#sendNext();
  }

  async close(timeout: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#sendNext();
    const ended = Promise.all([...this.#inProgress.values()].map((one) => one.ended));
    await waitAtMost(timeout, ended);
    await this.#record();
    if (this.#inProgress.size > 0) await endLeases(this.#db, [...this.#inProgress.keys()]);
    this.#errors.close();
  }

  async #checkDue(): Promise<void> {
    this.#queues.cleanUp();
    await this.#logFailure('leases of deliveries were not extended', async () => {
      if (this.#inProgress.size > 0) await extendLeases(this.#db, [...this.#inProgress.keys()]);
    });
    await this.#logFailure('deliveries could not be read', async () => {
      for (const { webhook, organization } of await readDueWebhooks(this.#db))
        this.#queues.add(webhook, organization);
    });
    void this.#sendNext();
  }

  async #logFailure(message: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#errors.log(error, message));
  }

  /** Leases and sends deliveries until no more may be sent. */
  async #lease(): Promise<void> {
    const queues = this.#queues;
    for (let next = queues.next(); next.length > 0 && !this.#isClosed; next = queues.next()) {
      try {
        for (const delivery of await leaseDeliveries(this.#db, next)) this.#begin(delivery);
      } finally {
        queues.releaseUnused(next);
      }
    }
  }

  #begin(delivery: LeasedDelivery): void {
    // Leased again, because its lease expired while the database did not respond.
    if (this.#inProgress.has(delivery.id)) return;
    const active = this.#queues.begin(delivery.webhook);
    if (!active) return;
    const ended = this.#makeAttempt(delivery, active).then((attempt) => {
      tracked.result = attempt;
      this.#services.measurements.record(
        { work: 'webhook-attempt', outcome: outcomeOf(attempt) },
        attempt.duration / 1000,
      );
      this.#queues.end(active, {
        isQuick: attempt.duration < SLOW_AFTER,
        hasResponse: 'status' in attempt.response,
      });
      void this.#record();
      void this.#sendNext();
    });
    const tracked: TrackedAttempt = { active, ended };
    this.#inProgress.set(delivery.id, tracked);
  }

  async #makeAttempt(delivery: LeasedDelivery, active: AttemptInProgress): Promise<Attempt> {
    const slow = setTimeout(() => {
      // guard: webhook-slow-down
      this.#queues.markSlow(active);
      void this.#sendNext();
    }, SLOW_AFTER).unref();
    try {
      return await attempt(this.#services, delivery);
    } catch (error) {
      this.#services.logger.error({ err: error }, 'a delivery could not be sent');
      const response = { problem: 'The service could not send it.' };
      return { delivery, time: new Date(), duration: 0, response };
    } finally {
      clearTimeout(slow);
    }
  }

  /** Records the results of attempts, in batches of those that end in the meantime. */
  async #recordAll(): Promise<void> {
    for (;;) {
      const attempts = [...this.#inProgress.values()]
        .flatMap((one) => one.result ?? [])
        .slice(0, RECORD_BATCH);
      if (attempts.length === 0) return;
      // A delivery whose attempt cannot be recorded is sent again once its lease expires.
      await this.#logFailure('attempts at deliveries were not recorded', () =>
        recordAttempts(this.#db, attempts),
      );
      for (const { delivery } of attempts) {
        const active = this.#inProgress.get(delivery.id)?.active;
        this.#inProgress.delete(delivery.id);
        if (active) this.#queues.finish(active);
      }
      void this.#sendNext();
    }
  }
}

function outcomeOf({ response }: Attempt): 'delivered' | 'refused' | 'unanswered' {
  if (!('status' in response)) return 'unanswered';
  return response.status >= 200 && response.status <= 299 ? 'delivered' : 'refused';
}

/** Makes a function that runs some work, and again if it is called in the meantime; it resolves once all is done. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async () => {
    do {
      again = false;
      await work();
    } while (again);
    running = undefined;
  };
  return () => {
    again = true;
    running ??= run();
    return running;
  };
}
