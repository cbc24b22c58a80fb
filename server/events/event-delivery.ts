import { setImmediate } from 'node:timers/promises';
import { type TrackedEnvelope, tracked } from '@trpc/server';
import { levelOn } from '../../routers/access/levels.ts';
import type { Db } from '../../routers/base/db.ts';
import type { Subscription } from '../../routers/base/ports.ts';
import { DomainError, notFound } from '../../routers/engine/errors.ts';
import { type EventObject, presentEvent } from '../../routers/events/events.api.ts';
import {
  type EventWithPlacement,
  mayView,
  readPlacements,
  readReaders,
} from '../../routers/events/events.query.ts';
import type { Subscriber } from './event-subscriber.ts';

/** How many events are delivered to streams before other requests may run. */
const DELIVERY_BATCH = 200;

type Readers = Awaited<ReturnType<typeof readReaders>>;
type Placements = Awaited<ReturnType<typeof readPlacements>>;

/**
 * Delivers events of an organization to its streams: to each those that it has not been sent, and that its reader may view.
 * Streams whose reader has lost access fail.
 */
export async function deliverEvents(
  db: Db,
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
  // Each event is presented once for all streams.
  const envelopes = events.map((event) => tracked(event.id, presentEvent(event)));
  let done = 0;
  for (const subscriber of to) {
    // guard: event-slices
    if (done >= DELIVERY_BATCH) {
      await setImmediate();
      done = 0;
    }
    done += 1 + events.length;
    deliverTo(subscriber, events, envelopes, { readers, placements });
  }
}

function deliverTo(
  subscriber: Subscriber,
  events: readonly EventWithPlacement[],
  envelopes: readonly TrackedEnvelope<EventObject>[],
  { readers, placements }: { readers: Readers; placements: Placements },
): void {
  const { subscription } = subscriber;
  const reader = readers.get(subscription.credential);
  if (!reader) {
    // guard: event-stream-token-end
    subscriber.fail(
      new DomainError('unauthenticated', 'You are no longer signed in, or the API token is no longer valid.'),
    );
    return;
  }
  const { member, grants } = reader;
  if (!member) {
    subscriber.fail(notFound('organization'));
    return;
  }
  for (const [i, event] of events.entries()) {
    if (Number(event.number) <= subscriber.after || !matches(event, subscription)) continue;
    // guard: event-stream-visible
    if (mayView(event, member, grants)) subscriber.push(envelopes[i] as TrackedEnvelope<EventObject>);
  }
  if (subscription.space === undefined) return;
  const placement = placements.get(subscription.space);
  // guard: event-stream-space-end
  if (!placement || levelOn(member, grants, placement) === null) subscriber.fail(notFound('space'));
}

const matches = (event: EventWithPlacement, { space, changeRequest }: Subscription): boolean =>
  (space === undefined || event.space === space) &&
  (changeRequest === undefined || event.changeRequest === changeRequest);
