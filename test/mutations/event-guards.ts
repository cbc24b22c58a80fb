import { guard } from './guard.ts';
import { always, at, becomes, later, never, replace } from './mutations.ts';

const EVENTS = ['test/events/events.test.ts'];
const STREAMS = ['test/events/streams.test.ts'];
const HUB = ['test/server/event-hub.test.ts'];
const RETENTION = ['test/events/retention.test.ts'];
const WEBHOOKS = ['test/webhooks/webhooks.test.ts'];
const SENDING = ['test/webhooks/sending.test.ts'];

/** Guards of events, their streams, and webhooks. */
export const EVENT_GUARDS = [
  guard('event-list-viewers', 'events are listed for those who may view what they are about', EVENTS, always),
  guard(
    'event-deleted-space',
    'of the events of a deleted space, only its deletion is listed',
    EVENTS,
    replace({ " and (space.deleted_at is null or event.type = 'space.deleted')": '' }),
  ),
  guard(
    'event-list-admins',
    'events of permissions are listed for admins',
    EVENTS,
    replace({ 'when event.type = any(': 'when false and event.type = any(' }),
  ),
  guard('event-stream-admins', 'events of permissions are streamed to admins', STREAMS),
  guard(
    'event-resume-organization',
    'events are resumed after those of the same organization',
    STREAMS,
    at('object'),
  ),
  guard('event-stream-token-end', 'a stream of events ends with its token', STREAMS),
  guard(
    'event-stream-space-end',
    'a stream of events ends with the right to view its space',
    STREAMS,
    at('operand 2', never),
  ),
  guard('event-stream-visible', 'a stream has events of what its reader may view', STREAMS, always),
  guard('event-stream-start', 'a stream of events begins after those that are being delivered', HUB, later),
  guard('event-redelivery', 'events are delivered again after a failure', HUB),
  guard('event-slices', 'events are delivered to streams in batches', HUB),
  guard(
    'event-waiting-limit',
    'few events wait for a slow reader',
    STREAMS,
    at('side 2', becomes('Infinity')),
  ),
  guard('event-stream-unread', 'an event stream that nobody reads is cut', STREAMS, at('else')),
  guard(
    'event-last-kept',
    'the last event of an organization is kept',
    RETENTION,
    replace({ ' and number < last': '' }),
  ),
  guard(
    'delivery-pending-kept',
    'webhook deliveries under way are kept',
    RETENTION,
    replace({ " and status <> 'pending'": '' }),
  ),
  guard('webhook-of-organization', 'a webhook is of the organization of its address', WEBHOOKS),
  guard('webhook-create-private', 'a webhook is not created for a private address', WEBHOOKS, always),
  guard('webhook-send-private', 'a webhook is not sent to a private address', WEBHOOKS),
  guard('webhook-redirect', 'a webhook follows no redirects', WEBHOOKS, at('value', becomes("'follow'"))),
  guard('webhook-space-events', 'a webhook gets only events of its space', WEBHOOKS),
  guard('webhook-disabled', 'a disabled webhook gets no events', WEBHOOKS),
  guard('webhook-gone', 'a webhook that is gone is disabled', WEBHOOKS, at('value', becomes('0'))),
  guard('delivery-replay-schedule', 'a replayed webhook delivery begins a new schedule', WEBHOOKS),
  guard('delivery-replay-pending', 'a webhook delivery under way is not replayed', WEBHOOKS),
  guard(
    'delivery-leased',
    'a webhook delivery that a process is sending is left to it',
    SENDING,
    replace({ '(leased_until is null or leased_until < now())': 'true' }),
  ),
  guard('webhook-slow-down', 'an attempt at a webhook delivery that hangs makes room', SENDING),
  guard(
    'webhook-one-attempt',
    'a webhook that hangs has one attempt at a time',
    SENDING,
    at('value', becomes('100')),
  ),
];
