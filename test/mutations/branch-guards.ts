import { guard } from './guard.ts';
import { at, becomes, replace } from './mutations.ts';

const LOCK_ORDER = 'test/branches/lock-order.test.ts';
const QUEUE = 'test/branches/queue.test.ts';
const RACES = 'test/branches/races.test.ts';
const TRANSACTIONS = 'test/branches/transactions.test.ts';

export const BRANCH_GUARDS = [
  guard('branch-outdated', 'branches: what was computed from content that has changed is not saved', RACES),
  guard(
    'branch-read-under-lock',
    'branches: access and status are read again under the lock',
    TRANSACTIONS,
    at('value', becomes('state')),
  ),
  guard('branch-optimistic-tries', 'branches: work on content holds no connection', TRANSACTIONS),
  guard(
    'branch-last-try-locks',
    'branches: the last try locks before it computes',
    RACES,
    at('value', becomes('400')),
  ),
  guard('branch-slow-writer', 'branches: a slow writer lets others pass', QUEUE),
  guard('branch-queue-length', 'branches: the number that wait for one is limited', QUEUE),
  guard(
    'conflict-still-exists',
    'branches: a conflict ends when the sides no longer differ',
    'test/change-requests/settled-conflicts.test.ts',
  ),
  guard('conflict-resolved-once', 'branches: a conflict is resolved once', TRANSACTIONS),
  guard(
    'lock-timeout',
    'the database: how long a statement waits for a lock',
    TRANSACTIONS,
    at('element 3', becomes("'0'")),
  ),
  guard(
    'expired-spaces-lock-order',
    'spaces: the removal of expired ones locks the sites that show them first',
    LOCK_ORDER,
    replace({ '.execute()': '.forUpdate().execute()' }),
  ),
  guard(
    'removed-member-lock-order',
    'members: the removal of one locks the spaces whose rules name them first',
    LOCK_ORDER,
  ),
];
