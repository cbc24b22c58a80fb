import { runWithoutCaller } from '../../routers/base/caller.ts';
import type { Logger } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import type { LiveEvents, Subscription } from '../../routers/base/ports.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { type EventWithPlacement, readEventsAfter, STREAM_BATCH } from '../../routers/events/events.query.ts';
import { FairShare, type FairShareOptions } from '../hardening/fair-share.ts';
import { openRepeatedErrors, type RepeatedErrors } from '../repeated-errors.ts';
import { deliverEvents } from './event-delivery.ts';
import { Subscriber } from './event-subscriber.ts';

/** The number of streams in one process: in all, for one organization, and for one user. */
const STREAMS: FairShareOptions = {
  slots: { all: 2000, organization: 1000, user: 100 },
  messages: {
    user: 'You have too many streams open; close some of them.',
    organization: 'The organization has too many streams open; close some of them.',
    all: 'Too many streams are open; try again later.',
  },
};

/** How often to check whether the readers of all streams still have access, in milliseconds. */
const CHECK_INTERVAL = 15_000;

/** How long to wait before reading again after the database failed, in milliseconds. */
const RETRY_DELAY = 1000;

/** The streams of one organization that have all been sent the events up to the number `last`. */
interface Channel {
  organization: string;
  last: number;
  subscribers: Set<Subscriber>;
  /** Whether its events are being read, and whether there may be new ones since. */
  reading: boolean;
  isStale: boolean;
}

interface HubOptions {
  db: Db;
  logger: Logger;
  /** Called at the first subscription. */
  onFirstSubscription: () => void;
  checkInterval?: number;
}

export interface EventHub extends LiveEvents {
  /** Call this when an organization, or without an argument any organization, may have new events. */
  wake(organization?: string): void;
  /** Ends all streams. */
  close(): void;
}

/**
 * Delivers the events of each organization to its streams. However many there are, new events are read once, and the access
 * of all readers in one more statement.
 */
export const openEventHub = (options: HubOptions): EventHub => new DatabaseEventHub(options);

class DatabaseEventHub implements EventHub {
  readonly #db: Db;
  readonly #onFirstSubscription: () => void;
  readonly #checkInterval: number;
  readonly #errors: RepeatedErrors;
  readonly #channels = new Map<string, Channel>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #share = new FairShare(STREAMS);
  #timer: NodeJS.Timeout | undefined;

  constructor({ db, logger, onFirstSubscription, checkInterval = CHECK_INTERVAL }: HubOptions) {
    this.#db = db;
    this.#onFirstSubscription = onFirstSubscription;
    this.#checkInterval = checkInterval;
    this.#errors = openRepeatedErrors(logger, 'warn');
  }

  subscribe(subscription: Subscription, signal?: AbortSignal): ReturnType<LiveEvents['subscribe']> {
    // guard: event-stream-share
    const slot = this.#share.acquireNow(subscription);
    if (!this.#timer) this.#start();
    const subscriber = new Subscriber(subscription, () => {
      this.#remove(subscriber);
      slot.release();
    });
    this.#subscribers.add(subscriber);
    signal?.addEventListener('abort', () => subscriber.close(), { once: true });
    if (signal?.aborted) subscriber.close();
    else if (!this.#join(subscriber))
      this.#catchUp(subscriber).catch((error: unknown) => {
        this.#errors.log(error, 'events could not be read');
        subscriber.fail(new DomainError('unavailable', 'The events cannot be read right now.'));
      });
    return subscriber;
  }

  wake(organization?: string): void {
    if (organization === undefined) {
      for (const channel of this.#channels.values()) void this.#deliver(channel);
      return;
    }
    const channel = this.#channels.get(organization);
    if (channel) void this.#deliver(channel);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#errors.close();
    for (const subscriber of this.#subscribers) subscriber.close();
  }

  #start(): void {
    this.#timer = setInterval(() => this.wake(), this.#checkInterval).unref();
    this.#onFirstSubscription();
  }

  #remove(subscriber: Subscriber): void {
    const { organization } = subscriber.subscription;
    this.#subscribers.delete(subscriber);
    this.#channels.get(organization)?.subscribers.delete(subscriber);
  }

  /** Adds a stream to the channel of its organization; false if the channel has been sent events that the stream lacks. */
  #join(subscriber: Subscriber): boolean {
    const { after, subscription } = subscriber;
    const { organization } = subscription;
    let channel = this.#channels.get(organization);
    if (!channel) {
      channel = { organization, last: after, subscribers: new Set(), reading: false, isStale: false };
      this.#channels.set(organization, channel);
    }
    if (after < channel.last) return false;
    channel.subscribers.add(subscriber);
    // There may be newer events that nobody was notified of. They are read on behalf of all streams.
    void runWithoutCaller((joined: Channel) => this.#deliver(joined), channel);
    return true;
  }

  /** Sends what a resumed stream has missed, no faster than its client reads, until it can join the others. */
  async #catchUp(subscriber: Subscriber): Promise<void> {
    const { organization } = subscriber.subscription;
    do {
      const events = await readEventsAfter(this.#db, organization, subscriber.after);
      await deliverEvents(this.#db, organization, events, [subscriber]);
      subscriber.after = lastNumber(events, subscriber.after);
      await subscriber.drained();
    } while (!subscriber.isClosed && !this.#join(subscriber));
  }

  /** Sends the new events of an organization to its streams, unless it does so already. */
  async #deliver(channel: Channel): Promise<void> {
    channel.isStale = true;
    if (channel.reading) return;
    channel.reading = true;
    try {
      while (channel.isStale && channel.subscribers.size > 0) {
        channel.isStale = false;
        await this.#deliverBatch(channel);
      }
    } catch (error) {
      this.#errors.log(error, 'events could not be read');
      setTimeout(() => this.#deliver(channel), RETRY_DELAY).unref();
    } finally {
      channel.reading = false;
      // An unused channel would be out of date when somebody subscribes again.
      if (channel.subscribers.size === 0 && this.#channels.get(channel.organization) === channel)
        this.#channels.delete(channel.organization);
    }
  }

  async #deliverBatch(channel: Channel): Promise<void> {
    const before = channel.last;
    const events = await readEventsAfter(this.#db, channel.organization, before);
    const readers = [...channel.subscribers];
    // From here on, streams that join are sent only later events.
    // guard: event-stream-start
    channel.last = lastNumber(events, before);
    await deliverEvents(this.#db, channel.organization, events, readers).catch((error: unknown) => {
      // guard: event-redelivery
      channel.last = before;
      throw error;
    });
    if (events.length === STREAM_BATCH) channel.isStale = true;
  }
}

const lastNumber = (events: readonly EventWithPlacement[], otherwise: number): number =>
  Number(events.at(-1)?.number ?? otherwise);
