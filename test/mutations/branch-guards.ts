import type { Guard } from './guards.ts';

const LOCK_ORDER = 'test/branches/lock-order.test.ts';
const QUEUE = 'test/branches/queue.test.ts';
const RACES = 'test/branches/races.test.ts';
const TRANSACTIONS = 'test/branches/transactions.test.ts';

export const BRANCH_GUARDS: Guard[] = [
  {
    name: 'branches: what was computed from content that has changed is not saved',
    file: 'routers/branches/compare-and-swap.operation.ts',
    find: 'if (!isDeepStrictEqual(swap.facts(now), swap.facts(state))) throw new Outdated();',
    replace: '',
    tests: [RACES],
  },
  {
    name: 'branches: access and status are read again under the lock',
    file: 'routers/branches/compare-and-swap.operation.ts',
    find: 'const now = await swap.read(kyselyOf(em));',
    replace: 'const now = state;',
    tests: [TRANSACTIONS],
  },
  {
    name: 'branches: work on content holds no connection',
    file: 'routers/branches/compare-and-swap.operation.ts',
    find: 'for (let attempt = 1; attempt < ATTEMPTS; attempt++) {',
    replace: 'for (let attempt = ATTEMPTS; attempt < ATTEMPTS; attempt++) {',
    tests: [TRANSACTIONS],
  },
  {
    name: 'branches: the last try locks before it computes',
    file: 'routers/branches/compare-and-swap.operation.ts',
    find: 'const TRIES = 4;',
    replace: 'const TRIES = 400;',
    tests: [RACES],
  },
  {
    name: 'branches: a slow writer lets others pass',
    file: 'routers/branches/queue.ts',
    find: 'if (lapseAfter !== undefined) timer',
    replace: 'if (lapseAfter === -1) timer',
    tests: [QUEUE],
  },
  {
    name: 'branches: how many wait for one',
    file: 'routers/branches/queue.ts',
    find: 'if (line.length > limit) throw tooBusy();',
    replace: '',
    tests: [QUEUE],
  },
  {
    name: 'branches: a conflict is resolved once',
    file: 'routers/change-requests/conflicts.operation.ts',
    find: 'if (dropped < new Set(conflicts.map(({ id }) => id)).size) throw new Outdated();',
    replace: '',
    tests: [TRANSACTIONS],
  },
  {
    name: 'the database: how long a statement waits for a lock',
    file: 'server/database/database-pool.ts',
    find: 'String(lock),',
    replace: "'0',",
    tests: [TRANSACTIONS],
  },
  {
    name: 'spaces: the removal of expired ones locks the sites that show them first',
    file: 'routers/spaces/removal.operation.ts',
    find: 'const seen = idsOf(await expired.limit(BATCH).execute());',
    replace: 'const seen = idsOf(await expired.limit(BATCH).forUpdate().execute());',
    tests: [LOCK_ORDER],
  },
  {
    name: 'members: the removal of one locks the spaces whose rules name them first',
    file: 'routers/people/members.operation.ts',
    find: 'await lockSpacesNaming(kyselyOf(em), key.organization, key.user);',
    replace: '',
    tests: [LOCK_ORDER],
  },
];
