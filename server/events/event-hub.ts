import { setImmediate } from 'node:timers/promises';
import { type TrackedEnvelope, tracked } from '@trpc/server';
import { levelOn } from '../../routers/access/levels.ts';
import { runWithoutCaller } from '../../routers/base/caller.ts';
import type { Logger } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import type { LiveEvents, Subscription } from '../../routers/base/ports.ts';
import { DomainError, notFound } from '../../routers/engine/errors.ts';
import { type EventObject, presentEvent } from '../../routers/events/events.api.ts';
import {
  type EventWithPlacement,
  mayView,
  readEventsAfter,
  readPlacements,
  readReaders,
  STREAM_BATCH,
} from '../../routers/events/events.query.ts';
import { FairShare, type FairShareOptions } from '../hardening/fair-share.ts';
import { Subscriber } from './event-subscriber.ts';

/** Streams of one process: in all, of one organization, and of one user. */
const STREAMS: FairShareOptions = {
  slots: { all: 2000, organization: 1000, user: 100 },
  messages: {
    user: 'You have too many streams open; close some of them.',
    organization: 'The organization has too many streams open; close some of them.',
    all: 'Too many streams are open; try again later.',
  },
};

/** How often the readers of all streams are checked, in milliseconds. */
const CHECK_INTERVAL = 15_000;

/** How many events are handed to streams at once: other requests run in between. */
const DELIVERY_BATCH = 200;

/** How long to wait before reading again after the database failed, in milliseconds. */
const RETRY_DELAY = 1000;

/** The streams of one organization that have all been sent the events up to the same number. */
interface Channel {
  organization: string;
  last: number;
  subscribers: Set<Subscriber>;
  /** Whether its events are being read, and whether there may be new ones since. */
  reading: boolean;
  isStale: boolean;
}

export interface EventHub extends LiveEvents {
  /** Called when an organization may have new events, or any of them without an argument. */
  wake(organization?: string): void;
  /** Ends all streams. */
  close(): void;
}

interface HubOptions {
  db: Db;
  logger: Logger;
  /** Called before the first subscription. */
  onFirstSubscription: () => void;
  checkInterval?: number;
}

/**
 * Hands the events of each organization to its streams: however many there are, new events are read once, and in one more
 * statement who of the readers may view them.
 */
export function openEventHub({
  db,
  logger,
  onFirstSubscription,
  checkInterval = CHECK_INTERVAL,
}: HubOptions): EventHub {
  const channels = new Map<string, Channel>();
  const share = new FairShare(STREAMS);
  const subscribers = new Set<Subscriber>();
  let timer: NodeJS.Timeout | undefined;

  function start() {
    timer = setInterval(() => wakeAll(), checkInterval).unref();
    onFirstSubscription();
  }

  function remove(subscriber: Subscriber) {
    const { organization } = subscriber.subscription;
    subscribers.delete(subscriber);
    channels.get(organization)?.subscribers.delete(subscriber);
  }

  function wakeAll() {
    for (const channel of channels.values()) void wake(channel);
  }

  async function wake(channel: Channel): Promise<void> {
    channel.isStale = true;
    if (channel.reading) return;
    channel.reading = true;
    try {
      while (channel.isStale && channel.subscribers.size > 0) {
        channel.isStale = false;
        const before = channel.last;
        const events = await readEventsAfter(db, channel.organization, before);
        const readers = [...channel.subscribers];
        // From here on, who joins is sent only what comes after these events.
        channel.last = lastNumber(events, before);
        await deliver(channel.organization, events, readers).catch((error: unknown) => {
          channel.last = before;
          throw error;
        });
        if (events.length === STREAM_BATCH) channel.isStale = true;
      }
    } catch (error) {
      logger.warn({ err: error }, 'events could not be read');
      setTimeout(() => wake(channel), RETRY_DELAY).unref();
    } finally {
      channel.reading = false;
      // Its number is out of date by the time somebody subscribes again.
      if (channel.subscribers.size === 0 && channels.get(channel.organization) === channel)
        channels.delete(channel.organization);
    }
  }

  /** Adds a stream to those of its organization, unless they have been sent events that it has not. */
  function join(subscriber: Subscriber): boolean {
    const { after, subscription } = subscriber;
    const { organization } = subscription;
    let channel = channels.get(organization);
    if (!channel) {
      channel = { organization, last: after, subscribers: new Set(), reading: false, isStale: false };
      channels.set(organization, channel);
    }
    if (after < channel.last) return false;
    channel.subscribers.add(subscriber);
    // There may be events since they were read, which nobody was woken for. They are read for all streams.
    void runWithoutCaller(wake, channel);
    return true;
  }

  /** Reads what a resumed stream has missed, no faster than it is read, until it can join the others. */
  async function catchUp(subscriber: Subscriber): Promise<void> {
    const { organization } = subscriber.subscription;
    do {
      const events = await readEventsAfter(db, organization, subscriber.after);
      await deliver(organization, events, [subscriber]);
      subscriber.after = lastNumber(events, subscriber.after);
      await subscriber.drained();
    } while (!subscriber.isClosed && !join(subscriber));
  }

  async function deliver(
    organization: string,
    events: readonly EventWithPlacement[],
    to: readonly Subscriber[],
  ): Promise<void> {
    const credentials = new Set(to.map(({ subscription }) => subscription.credential));
    const spaces = new Set(to.flatMap(({ subscription }) => subscription.space ?? []));
    const [readers, placements] = await Promise.all([
      readReaders(db, organization, [...credentials]),
      readPlacements(db, organization, [...spaces]),
    ]);
    // Each event is presented once for all.
    const envelopes = events.map((event) => tracked(event.id, presentEvent(event)));
    let done = 0;
    for (const subscriber of to) {
      if (done >= DELIVERY_BATCH) {
        await setImmediate();
        done = 0;
      }
      done += 1 + events.length;
      const { subscription } = subscriber;
      const reader = readers.get(subscription.credential);
      if (!reader) {
        subscriber.fail(
          new DomainError(
            'unauthenticated',
            'You are no longer signed in, or the access token is no longer valid.',
          ),
        );
        continue;
      }
      const { member, grants } = reader;
      if (!member) {
        subscriber.fail(notFound('organization'));
        continue;
      }
      for (const [i, event] of events.entries()) {
        if (Number(event.number) <= subscriber.after || !matches(event, subscription)) continue;
        if (mayView(event, member, grants)) subscriber.push(envelopes[i] as TrackedEnvelope<EventObject>);
      }
      if (subscription.space === undefined) continue;
      const placement = placements.get(subscription.space);
      if (!placement || levelOn(member, grants, placement) === null) subscriber.fail(notFound('space'));
    }
  }

  return {
    subscribe(subscription, signal) {
      const slot = share.acquireNow(subscription);
      if (!timer) start();
      const subscriber = new Subscriber(subscription, () => {
        remove(subscriber);
        slot.release();
      });
      subscribers.add(subscriber);
      signal?.addEventListener('abort', () => subscriber.close(), { once: true });
      if (signal?.aborted) subscriber.close();
      else if (!join(subscriber))
        catchUp(subscriber).catch((error: unknown) => {
          logger.warn({ err: error }, 'events could not be read');
          subscriber.fail(new DomainError('unavailable', 'The events cannot be read right now.'));
        });
      return subscriber;
    },
    wake(organization) {
      if (organization === undefined) return wakeAll();
      const channel = channels.get(organization);
      if (channel) void wake(channel);
    },
    close() {
      clearInterval(timer);
      for (const subscriber of subscribers) subscriber.close();
    },
  };
}

const lastNumber = (events: readonly EventWithPlacement[], otherwise: number): number =>
  Number(events.at(-1)?.number ?? otherwise);

const matches = (event: EventWithPlacement, { space, changeRequest }: Subscription): boolean =>
  (space === undefined || event.space === space) &&
  (changeRequest === undefined || event.changeRequest === changeRequest);
