import type { Guard } from './guards.ts';

const SHARE = ['test/server/fair-share.test.ts'];
const CONNECTIONS = ['test/server/connection-shares.test.ts'];
const CALLERS = ['test/access/caller.test.ts'];
const HUB = ['test/server/event-hub.test.ts'];
const LINES = ['test/server/delivery-queues.test.ts'];
const SPECS = ['test/specs/queue.test.ts'];
const WORKERS = ['test/server/worker-pool.test.ts'];
const BODIES = ['test/server/bodies.test.ts'];

/** Guards of what organizations and users share. */
export const SHARE_GUARDS: Guard[] = [
  {
    name: 'a place goes to those who hold the fewest',
    file: 'server/hardening/fair-share.ts',
    find: 'a.inUse === b.inUse ? a.lastServed < b.lastServed : a.inUse < b.inUse',
    replace: 'a.lastServed < b.lastServed',
    tests: SHARE,
  },
  {
    name: 'places are served in turn',
    file: 'server/hardening/fair-share.ts',
    find: '    queue.organization.lastServed = queue.lastServed;\n',
    replace: '',
    tests: SHARE,
  },
  {
    name: 'an organization that waits holds no more than its share',
    file: 'server/hardening/fair-share.ts',
    find: 'organization.ready.size > 0 && organization.inUse < this.#slots.organization',
    replace: 'organization.ready.size > 0',
    tests: SHARE,
  },
  {
    name: 'a user who waits holds no more than their share',
    file: 'server/hardening/fair-share.ts',
    find: 'waiters.size > 0 && user.inUse < this.#slots.user',
    replace: 'waiters.size > 0',
    tests: SHARE,
  },
  {
    name: 'a user has one share in all organizations',
    file: 'server/hardening/fair-share.ts',
    find: 'for (const other of user.queues) this.#updateReady(other);',
    replace: '{}',
    tests: SHARE,
  },
  {
    name: 'those who wait are limited',
    file: 'server/hardening/fair-share.ts',
    find: '[user.waiting, organization.waiting, this.#waiters]',
    replace: '[0, 0, 0]',
    tests: SHARE,
  },
  {
    name: 'transactions leave connections to reads',
    file: 'server/hardening/connection-shares.ts',
    find: 'all: fractionOf(size, 0.8)',
    replace: 'all: size',
    tests: CONNECTIONS,
  },
  {
    name: 'writers of one organization leave connections to others',
    file: 'server/database/database.ts',
    find: 'requests.transaction(() =>',
    replace: '(async (work: () => Promise<never>) => work())(() =>',
    tests: CONNECTIONS,
  },
  {
    name: 'a statement beside a transaction does not wait for its own share',
    file: 'server/hardening/connection-shares.ts',
    find: 'caller && scope.getStore() !== IN_TRANSACTION',
    replace: 'caller',
    tests: CONNECTIONS,
  },
  {
    name: 'the calls of one batch take few connections',
    file: 'server/hardening/connection-shares.ts',
    find: 'if (!(requestShare instanceof FairShare)) return',
    replace: 'return',
    tests: CONNECTIONS,
  },
  {
    name: 'nobody counts under an organization that they are not a member of',
    file: 'routers/base/caller-organization.ts',
    find: "    .where('member.user_id', '=', user)\n",
    replace: '',
    tests: CALLERS,
  },
  {
    name: 'readers of a space count under its organization',
    file: 'routers/access/load.query.ts',
    find: '  if (member) attributeTo(row.organization);\n  const level = effectiveLevel',
    replace: '  const level = effectiveLevel',
    tests: CALLERS,
  },
  {
    name: 'a shared statement takes no share of the first who asks',
    file: 'routers/sql/batched-statement.ts',
    find: '    runForSeveralCallers(() => {',
    replace: '    ((send: () => void) => send())(() => {',
    tests: CALLERS,
  },
  {
    name: 'workers count under the organization of the caller',
    file: 'server/engine/pool.ts',
    find: 'share.acquire(caller)',
    replace: 'share.acquire({ user: caller.user })',
    tests: WORKERS,
  },
  {
    name: 'event streams are shared out',
    file: 'server/events/event-hub.ts',
    find: 'share.acquireNow(subscription)',
    replace: '{ release: () => undefined }',
    tests: HUB,
  },
  {
    name: 'webhooks count under their organization',
    file: 'server/webhooks/delivery-queues.ts',
    find: 'queue.lane.request({ organization, user }',
    replace: 'queue.lane.request({ user }',
    tests: LINES,
  },
  {
    name: 'receivers that do not respond have pauses',
    file: 'server/webhooks/delivery-queues.ts',
    find: '!queue.isDue || queue.pausedUntil > now',
    replace: '!queue.isDue',
    tests: LINES,
  },
  {
    name: 'servers that do not respond hold up no spec given as text',
    file: 'routers/specs/queue.operation.ts',
    find: "'fetch-openapi-spec', ...fetched",
    replace: "'process-openapi-spec', ...fetched",
    tests: SPECS,
  },
  {
    name: 'organizations take turns with their specs',
    file: 'routers/specs/queue.operation.ts',
    find: 'priority: -before',
    replace: 'priority: 0',
    tests: SPECS,
  },
  {
    name: 'the memory for a body is released when its sender disconnects',
    file: 'server/hardening/body-budget.ts',
    find: "    response.once('close', () => handled.has(bodyReservation) || bodyReservation.release());\n",
    replace: '',
    tests: BODIES,
  },
  {
    name: 'one user never takes all memory for bodies',
    file: 'server/hardening/body-budget.ts',
    find: 'user: 128 * MB',
    replace: 'user: 256 * MB',
    tests: BODIES,
  },
];
