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
import { atMost } from '../shutdown.ts';
import { DeliveryQueues, type SendingLimits, type Turn } from './delivery-queues.ts';

const LIMITS: SendingLimits = {
  quick: { all: 128, organization: 64, user: 16 },
  slow: { all: 64, organization: 16, user: 4 },
  turned: { all: 800, organization: 200, user: 16 },
};

/** After this many milliseconds an attempt is slow. */
const SLOW_AFTER = 1000;

/** How often to extend leases and to look for what is due again, or was left by a process that was killed. */
const ROUND = 2000;

/** Attempts recorded in one statement; each has up to 4 kB of a response. */
const RECORDED_AT_ONCE = 100;

export interface WebhookSender {
  /** Sends what waits for a webhook of an organization, as soon as it is its turn. */
  send(webhook: string, organization: string): void;
  /** Waits for attempts under way, for at most `timeout` milliseconds, and gives the rest back. */
  close(timeout: number): Promise<void>;
}

/** An attempt under way, until it is recorded. */
interface UnderWay {
  turn: Turn;
  ended: Promise<void>;
  made?: Attempt;
}

/**
 * Sends the deliveries of webhooks. Each is leased while an attempt is under way, so that several processes share them and
 * none is lost with a process.
 */
export function openWebhookSender({ db, services }: Context): WebhookSender {
  const { logger } = services;
  const lines = new DeliveryQueues(LIMITS);
  const underWay = new Map<string, UnderWay>();
  let isClosed = false;
  const proceed = oneAtATime(() => guarded('deliveries could not be leased', lease));
  const record = oneAtATime(recordAll);
  const round = oneAtATime(look);
  const timer = setInterval(round, ROUND).unref();

  async function look(): Promise<void> {
    lines.tidy();
    await guarded('leases of deliveries were not extended', async () => {
      if (underWay.size > 0) await extendLeases(db, [...underWay.keys()]);
    });
    await guarded('deliveries could not be read', async () => {
      for (const { webhook, organization } of await readDueWebhooks(db)) lines.add(webhook, organization);
    });
    void proceed();
  }

  async function guarded(message: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => logger.warn({ err: error }, message));
  }

  /** Leases and sends until it is nobody's turn. */
  async function lease(): Promise<void> {
    for (let next = lines.next(); next.length > 0 && !isClosed; next = lines.next()) {
      try {
        for (const delivery of await leaseDeliveries(db, next)) begin(delivery);
      } finally {
        lines.settle(next);
      }
    }
  }

  function begin(delivery: LeasedDelivery): void {
    // Its lease ran out because the database did not respond.
    if (underWay.has(delivery.id)) return;
    const turn = lines.begin(delivery.webhook);
    if (!turn) return;
    const made = make(delivery, turn);
    const ended = made.then((attempt) => {
      one.made = attempt;
      services.measurements.ended(
        { work: 'webhook-attempt', outcome: outcomeOf(attempt) },
        attempt.duration / 1000,
      );
      lines.end(turn, { isQuick: attempt.duration < SLOW_AFTER, isAnswered: 'status' in attempt.response });
      void record();
      void proceed();
    });
    const one: UnderWay = { turn, ended };
    underWay.set(delivery.id, one);
  }

  async function make(delivery: LeasedDelivery, turn: Turn): Promise<Attempt> {
    const slow = setTimeout(() => {
      lines.slowDown(turn);
      void proceed();
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

  /** Records what came of attempts, all at once that end meanwhile. */
  async function recordAll(): Promise<void> {
    for (;;) {
      const made = [...underWay.values()].flatMap((one) => one.made ?? []).slice(0, RECORDED_AT_ONCE);
      if (made.length === 0) return;
      // What cannot be recorded is sent again once its lease has run out.
      await guarded('attempts at deliveries were not recorded', () => recordAttempts(db, made));
      for (const { delivery } of made) {
        const turn = underWay.get(delivery.id)?.turn;
        underWay.delete(delivery.id);
        if (turn) lines.release(turn);
      }
      void proceed();
    }
  }

  return {
    send(webhook, organization) {
      lines.add(webhook, organization);
      void proceed();
    },
    async close(timeout) {
      isClosed = true;
      clearInterval(timer);
      await proceed();
      const ended = Promise.all([...underWay.values()].map((one) => one.ended));
      await atMost(timeout, ended);
      await record();
      if (underWay.size > 0) await endLeases(db, [...underWay.keys()]);
    },
  };
}

function outcomeOf({ response }: Attempt): 'delivered' | 'refused' | 'unanswered' {
  if (!('status' in response)) return 'unanswered';
  return response.status >= 200 && response.status <= 299 ? 'delivered' : 'refused';
}

/** Makes a function that does some work, and once more if it is called meanwhile; it resolves when that is done. */
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
