import type { Context } from '../../routers/base/context.ts';
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
import { openRepeatedErrors } from '../repeated-errors.ts';
import { waitAtMost } from '../shutdown.ts';
import { type AttemptInProgress, DeliveryQueues, type SendingLimits } from './delivery-queues.ts';

const LIMITS: SendingLimits = {
  quick: { all: 128, organization: 64, user: 16 },
  slow: { all: 64, organization: 16, user: 4 },
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
export function openWebhookSender({ db, services }: Context): WebhookSender {
  const { logger } = services;
  const errors = openRepeatedErrors(logger, 'warn');
  const queues = new DeliveryQueues(LIMITS);
  const inProgress = new Map<string, TrackedAttempt>();
  let isClosed = false;
  const sendNext = oneAtATime(() => logFailure('deliveries could not be leased', lease));
  const record = oneAtATime(recordAll);
  const round = oneAtATime(checkDue);
  const timer = setInterval(round, CHECK_INTERVAL).unref();

  async function checkDue(): Promise<void> {
    queues.cleanUp();
    await logFailure('leases of deliveries were not extended', async () => {
      if (inProgress.size > 0) await extendLeases(db, [...inProgress.keys()]);
    });
    await logFailure('deliveries could not be read', async () => {
      for (const { webhook, organization } of await readDueWebhooks(db)) queues.add(webhook, organization);
    });
    void sendNext();
  }

  async function logFailure(message: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => errors.log(error, message));
  }

  /** Leases and sends deliveries until no more may be sent. */
  async function lease(): Promise<void> {
    for (let next = queues.next(); next.length > 0 && !isClosed; next = queues.next()) {
      try {
        for (const delivery of await leaseDeliveries(db, next)) begin(delivery);
      } finally {
        queues.releaseUnused(next);
      }
    }
  }

  function begin(delivery: LeasedDelivery): void {
    // Leased again, because its lease expired while the database did not respond.
    if (inProgress.has(delivery.id)) return;
    const active = queues.begin(delivery.webhook);
    if (!active) return;
    const ended = makeAttempt(delivery, active).then((attempt) => {
      tracked.result = attempt;
      services.measurements.record(
        { work: 'webhook-attempt', outcome: outcomeOf(attempt) },
        attempt.duration / 1000,
      );
      queues.end(active, {
        isQuick: attempt.duration < SLOW_AFTER,
        hasResponse: 'status' in attempt.response,
      });
      void record();
      void sendNext();
    });
    const tracked: TrackedAttempt = { active, ended };
    inProgress.set(delivery.id, tracked);
  }

  async function makeAttempt(delivery: LeasedDelivery, active: AttemptInProgress): Promise<Attempt> {
    const slow = setTimeout(() => {
      // guard: webhook-slow-down
      queues.markSlow(active);
      void sendNext();
    }, SLOW_AFTER).unref();
    try {
      return await attempt(services, delivery);
    } catch (error) {
      logger.error({ err: error }, 'a delivery could not be sent');
      const response = { problem: 'The service could not send it.' };
      return { delivery, time: new Date(), duration: 0, response };
    } finally {
      clearTimeout(slow);
    }
  }

  /** Records the results of attempts, in batches of those that end in the meantime. */
  async function recordAll(): Promise<void> {
    for (;;) {
      const attempts = [...inProgress.values()].flatMap((one) => one.result ?? []).slice(0, RECORD_BATCH);
      if (attempts.length === 0) return;
      // A delivery whose attempt cannot be recorded is sent again once its lease expires.
      await logFailure('attempts at deliveries were not recorded', () => recordAttempts(db, attempts));
      for (const { delivery } of attempts) {
        const active = inProgress.get(delivery.id)?.active;
        inProgress.delete(delivery.id);
        if (active) queues.finish(active);
      }
      void sendNext();
    }
  }

  return {
    send(webhook, organization) {
      queues.add(webhook, organization);
      void sendNext();
    },
    async close(timeout) {
      isClosed = true;
      clearInterval(timer);
      await sendNext();
      const ended = Promise.all([...inProgress.values()].map((one) => one.ended));
      await waitAtMost(timeout, ended);
      await record();
      if (inProgress.size > 0) await endLeases(db, [...inProgress.keys()]);
      errors.close();
    },
  };
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
