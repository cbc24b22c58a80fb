import type { Guard } from './guards.ts';

const EVENTS = ['test/events/events.test.ts'];
const STREAMS = ['test/events/streams.test.ts'];
const HUB = ['test/server/event-hub.test.ts'];
const RETENTION = ['test/events/retention.test.ts'];
const WEBHOOKS = ['test/webhooks/webhooks.test.ts'];
const SENDING = ['test/webhooks/sending.test.ts'];

/** Guards of events, their streams, and webhooks. */
export const EVENT_GUARDS: Guard[] = [
  {
    name: 'events are listed for those who may view what they are about',
    file: 'routers/events/events.query.ts',
    find: "member.role === 'admin'\n        ?",
    replace: 'member.role !== undefined\n        ?',
    tests: EVENTS,
  },
  {
    name: 'of the events of a deleted space, only its deletion is listed',
    file: 'routers/events/events.query.ts',
    find: "and (space.deleted_at is null or event.type = 'space.deleted') and",
    replace: 'and',
    tests: EVENTS,
  },
  {
    name: 'events of permissions are listed for admins',
    file: 'routers/events/events.query.ts',
    find: 'when event.type = any(',
    replace: "when event.type = any(array['']) and event.type = any(",
    tests: EVENTS,
  },
  {
    name: 'events of permissions are streamed to admins',
    file: 'routers/events/events.query.ts',
    find: 'if ((ADMIN_EVENTS as readonly string[]).includes(type)) return false;',
    replace: '',
    tests: STREAMS,
  },
  {
    name: 'events are resumed after those of the same organization',
    file: 'routers/events/events.query.ts',
    find: ".where('id', '=', lastEventId)\n        .where('organization_id', '=', organization)",
    replace: ".where('id', '=', lastEventId)",
    tests: STREAMS,
  },
  {
    name: 'a stream of events ends with its token',
    file: 'server/events/event-hub.ts',
    find: "subscriber.fail(\n          new DomainError(\n            'unauthenticated',",
    replace: "(() => undefined)(\n          new DomainError(\n            'unauthenticated',",
    tests: STREAMS,
  },
  {
    name: 'a stream of events ends with the right to view its space',
    file: 'server/events/event-hub.ts',
    find: 'levelOn(member, grants, placement) === null',
    replace: 'false',
    tests: STREAMS,
  },
  {
    name: 'a stream has events of what its reader may view',
    file: 'server/events/event-hub.ts',
    find: 'if (mayView(event, member, grants)) subscriber',
    replace: 'subscriber',
    tests: STREAMS,
  },
  {
    name: 'a stream of events begins after those that are being handed out',
    file: 'server/events/event-hub.ts',
    find: '        channel.last = lastNumber(events, before);\n        await deliver(channel.organization, events, readers)',
    replace:
      '        await deliver(channel.organization, events, readers).then(() => { channel.last = lastNumber(events, before); })',
    tests: HUB,
  },
  {
    name: 'events are handed out again after a failure',
    file: 'server/events/event-hub.ts',
    find: 'channel.last = before;',
    replace: '',
    tests: HUB,
  },
  {
    name: 'events are handed to streams in slices',
    file: 'server/events/event-hub.ts',
    find: 'done >= DELIVERY_BATCH',
    replace: 'done < 0',
    tests: HUB,
  },
  {
    name: 'few events wait for a slow reader',
    file: 'server/events/event-subscriber.ts',
    find: '> MAX_WAITING',
    replace: '> Infinity',
    tests: STREAMS,
  },
  {
    name: 'an event stream that nobody reads is cut',
    file: 'server/http/event-streams.ts',
    find: 'else if (written === stream.written) response.destroy();',
    replace: '',
    tests: STREAMS,
  },
  {
    name: 'the last event of an organization is kept',
    file: 'routers/events/retention.operation.ts',
    find: ' and number < last',
    replace: '',
    tests: RETENTION,
  },
  {
    name: 'webhook deliveries under way are kept',
    file: 'routers/webhooks/retention.operation.ts',
    find: " and status <> 'pending'",
    replace: '',
    tests: RETENTION,
  },
  {
    name: 'a webhook is of the organization of its address',
    file: 'routers/webhooks/webhooks.procedures.ts',
    find: ".where('organization_id', '=', ctx.organization.id)",
    replace: '',
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook is not created for a private address',
    file: 'routers/webhooks/webhooks.router.ts',
    find: 'if (refusal === undefined) return;',
    replace: 'if (refusal !== null) return;',
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook is not sent to a private address',
    file: 'server/hardening/outbound.ts',
    find: 'requireAllowed(url);\n        const { fetch, poster }',
    replace: 'const { fetch, poster }',
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook follows no redirects',
    file: 'server/hardening/outbound.ts',
    find: "redirect: 'manual',\n          headers: {",
    replace: "redirect: 'follow',\n          headers: {",
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook gets only events of its space',
    file: 'routers/webhooks/delivery.operation.ts',
    find: "(space === null || ('space' in event && event.space === space))",
    replace: 'space !== undefined',
    tests: WEBHOOKS,
  },
  {
    name: 'a disabled webhook gets no events',
    file: 'routers/webhooks/delivery.operation.ts',
    find: "    .where('enabled', '=', true)\n",
    replace: '',
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook that is gone is disabled',
    file: 'routers/webhooks/attempts.operation.ts',
    find: 'const GONE = 410;',
    replace: 'const GONE = 0;',
    tests: WEBHOOKS,
  },
  {
    name: 'a replayed webhook delivery begins a new schedule',
    file: 'routers/webhooks/delivery.operation.ts',
    find: '      attempts: 0,\n',
    replace: '',
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook delivery under way is not replayed',
    file: 'routers/webhooks/delivery.operation.ts',
    find: "    .where('status', '<>', 'pending')\n",
    replace: '',
    tests: WEBHOOKS,
  },
  {
    name: 'a webhook delivery that a process is sending is left to it',
    file: 'routers/webhooks/attempts.operation.ts',
    find: '(leased_until is null or leased_until < now())',
    replace: 'true',
    tests: SENDING,
  },
  {
    name: 'an attempt at a webhook delivery that hangs makes room',
    file: 'server/webhooks/webhook-sender.ts',
    find: 'queues.markSlow(attempt);',
    replace: '',
    tests: SENDING,
  },
  {
    name: 'a webhook that hangs has one attempt at a time',
    file: 'server/webhooks/delivery-queues.ts',
    find: '        concurrency: 1,\n',
    replace: '        concurrency: 100,\n',
    tests: SENDING,
  },
];
