import { guard } from './guard.ts';
import { always, at, becomes, keep, remove, replace } from './mutations.ts';

const EVENTS = ['test/audit/audit-events.test.ts'];
const CHAIN = ['test/audit/chain.test.ts'];
const ERASURE = ['test/audit/erasure.test.ts'];
const FORMER_MEMBERS = ['test/people/former-members.test.ts'];

/** Guards of the audit log, and of what members lose who leave. */
export const AUDIT_GUARDS = [
  guard('audit-cause', 'audit: what a request causes is its own', EVENTS),
  guard(
    'import-caller',
    'audit: what an import causes in its process is its caller’s',
    'test/imports/archive.test.ts',
    replace({ 'ctx.origin?.()': 'undefined' }),
  ),
  guard('audit-for-admins', 'audit: the log is for admins', EVENTS, at('argument 1', becomes("'member'"))),
  guard('audit-list-log', 'audit: a list is of one log', EVENTS, at('value')),
  guard('audit-event-log', 'audit: an event is found in its own log', EVENTS, at('object')),
  guard('audit-hash-chain', 'audit: a hash covers the one before it', CHAIN, at('element 1', becomes("''"))),
  guard('audit-personal-digest', 'audit: personal data is compared with its digest', CHAIN),
  guard('audit-chain-end', 'audit: the end of a log is compared with its chain', CHAIN),
  guard('audit-beyond-log', 'audit: events beyond the end of a log are found', CHAIN),
  guard('audit-anchor', 'audit: what was noted is compared', CHAIN),
  guard('audit-seal-lock', 'audit: one process at a time seals a log', CHAIN, keep('object of object')),
  guard(
    'audit-removed-place',
    'audit: the place of what was removed stays',
    CHAIN,
    replace({ ', removed_hash = last.hash': '' }),
  ),
  guard('audit-retention', 'audit: without a retention, nothing is removed', CHAIN),
  guard(
    'audit-salt',
    'audit: salts are erased with personal data',
    ERASURE,
    replace({ ', salt = null': '' }),
  ),
  guard('audit-refusal-kinds', 'audit: kinds of refusals are bounded', EVENTS, at('else', always)),
  guard('audit-visitor-tokens', 'audit: tokens of visitors are no refusals', EVENTS, always),
  guard('erase-confirmed', 'erasing: an erasure has to be confirmed', ERASURE),
  guard('erase-own-rows', 'erasing: rows that belong only to the user are removed', ERASURE, remove),
  guard(
    'erase-audit-data',
    'erasing: personal data is removed from the audit log',
    ERASURE,
    at('value', becomes('0')),
  ),
  guard('last-admin', 'members: the last admin is not disabled', FORMER_MEMBERS),
  guard(
    'member-disabled-event',
    'members: disabling a member is recorded, so that their streams end',
    FORMER_MEMBERS,
  ),
];
