import { guard } from './guard.ts';
import { always, at, becomes, never, remove, unwrap } from './mutations.ts';

const SHARE = ['test/server/fair-share.test.ts'];
const CONNECTIONS = ['test/server/connection-shares.test.ts'];
const CALLERS = ['test/access/caller.test.ts'];
const HUB = ['test/server/event-hub.test.ts'];
const LINES = ['test/server/delivery-queues.test.ts'];
const SPECS = ['test/specs/queue.test.ts'];
const WORKERS = ['test/server/worker-pool.test.ts'];
const BODIES = ['test/server/bodies.test.ts'];

/** Guards of what organizations and users share. */
export const SHARE_GUARDS = [
  guard('share-fewest-first', 'a place goes to those who hold the fewest', SHARE, always),
  guard('share-in-turn', 'places are served in turn', SHARE),
  guard(
    'share-organization-limit',
    'an organization that waits holds no more than its share',
    SHARE,
    at('operand 2', always),
  ),
  guard(
    'share-user-limit',
    'a user who waits holds no more than their share',
    SHARE,
    at('operand 2', always),
  ),
  guard('share-user-everywhere', 'a user has one share in all organizations', SHARE, at('then', remove)),
  guard('share-waiting-limit', 'those who wait are limited', SHARE, at('argument 3', becomes('[0, 0, 0]'))),
  guard(
    'connections-for-reads',
    'transactions leave connections to reads',
    CONNECTIONS,
    at('call 1', unwrap),
  ),
  guard(
    'connections-for-others',
    'writers of one organization leave connections to others',
    CONNECTIONS,
    becomes('($(argument 1))()'),
  ),
  guard(
    'connection-beside-transaction',
    'a statement beside a transaction does not wait for its own share',
    CONNECTIONS,
    at('operand 2', always),
  ),
  guard('connection-per-batch', 'the calls of one batch take few connections', CONNECTIONS, always),
  guard('caller-membership', 'nobody counts under an organization that they are not a member of', CALLERS),
  guard('reader-organization', 'readers of a space count under its organization', CALLERS),
  guard(
    'batch-no-share',
    'a shared statement takes no share of the first who asks',
    CALLERS,
    becomes('($(argument 1))();'),
  ),
  guard(
    'worker-organization',
    'workers count under the organization of the caller',
    WORKERS,
    at('argument 1', becomes('{ user: $().user }')),
  ),
  guard(
    'event-stream-share',
    'event streams are shared out',
    HUB,
    at('value', becomes('{ release: () => undefined }')),
  ),
  guard('webhook-share', 'webhooks count under their organization', LINES, at('member 1')),
  guard('webhook-pause', 'receivers that do not respond have pauses', LINES, at('operand 2', never)),
  guard(
    'spec-fetch-queue',
    'servers that do not respond hold up no spec given as text',
    SPECS,
    at('argument 2', becomes("'process-openapi-spec'")),
  ),
  guard(
    'spec-turns',
    'organizations take turns with their specs',
    SPECS,
    at('value of member 3', becomes('0')),
  ),
  guard('body-memory-released', 'the memory for a body is released when its sender disconnects', BODIES),
  guard(
    'body-memory-per-user',
    'one user never takes all memory for bodies',
    BODIES,
    at('side 1 of property user', becomes('256')),
  ),
];
