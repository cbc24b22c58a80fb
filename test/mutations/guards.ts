import { guard } from './guard.ts';
import { always, at, becomes, both, remove, replace } from './mutations.ts';

const LEVELS = 'test/contract/levels.test.ts';
const FOREIGN = 'test/contract/foreign.test.ts';
const DENIALS = 'test/contract/denials.test.ts';
const DELETIONS = 'test/contract/deletions.test.ts';
const BATCHES = ['test/batched-statement.test.ts', 'test/access/concurrent.test.ts'];

export const GUARDS = [
  guard('organization-members', 'only members view an organization and its content', LEVELS, at('operand 1')),
  guard(
    'disabled-members',
    'a disabled member counts as no member',
    'test/people/denials.test.ts',
    at('operand 2'),
  ),
  guard('organization-permission', 'requireOrganization: permission', LEVELS),
  guard('space-permission', 'requireSpace: permission', LEVELS),
  guard('deleted-spaces', 'requireSpace: deleted spaces', 'test/spaces'),
  guard('collection-permission', 'requireCollection: permission', LEVELS),
  guard('organization-of-parent', 'requireParent: organization of the parent', FOREIGN),
  guard(
    'merge-need',
    'base procedures: no mistaken need',
    [LEVELS, 'test/change-requests'],
    at('argument 1', becomes("'edit'")),
  ),
  guard(
    'needs-in-organization',
    'what belongs to the organization needs a role in it, not a level on content',
    'test/permissions/flags.test.ts',
    at('value', becomes('level')),
  ),
  guard('team-permission', 'teamProcedure: permission', LEVELS),
  guard('team-visibility', 'teamProcedure: visibility', LEVELS),
  guard('member-visibility', 'memberProcedure: visibility', LEVELS),
  guard(
    'organization-of-team',
    'a team belongs to the organization',
    FOREIGN,
    both(at('argument 2', becomes('(join) => join.onTrue()')), at('argument 3', remove)),
  ),
  guard(
    'organization-of-member',
    'a member belongs to the organization',
    FOREIGN,
    both(at('argument 2', becomes('(join) => join.onTrue()')), at('argument 3', remove)),
  ),
  guard(
    'space-of-change-request',
    'a change request belongs to the space',
    FOREIGN,
    at('call 2 of argument 2'),
  ),
  guard('space-of-revision', 'a revision belongs to the space', FOREIGN),
  guard('space-of-reverted-revision', 'a revision to revert belongs to the space', FOREIGN),
  guard('change-request-of-review', 'a review belongs to the change request', FOREIGN),
  guard('space-of-document', 'a document belongs to the space', FOREIGN),
  guard('space-of-upload', 'an upload belongs to the space', FOREIGN, at('operand 1', always)),
  guard('owner-of-token', 'a token belongs to the caller', LEVELS, at('argument 3')),
  guard('visible-users', 'users are visible to those who share an organization', LEVELS),
  guard('own-user', 'users change only themselves', LEVELS),
  guard('grantees-in-organization', 'grants go only to members and teams of the organization', FOREIGN),
  guard('team-members-in-organization', 'only members of the organization join its teams', FOREIGN),
  guard('reviewers-may-view', 'reviewers may view the space', FOREIGN),
  guard('merge-rules-of-removed', 'merge rules refer to members', FOREIGN, always),
  guard(
    'bypass-of-former-members',
    'merge rules give no former member the right to bypass them',
    'test/change-requests/merge-rules-people.test.ts',
    at('operand 2', becomes('!reviewers.has(user)')),
  ),
  guard('transfer-permission', 'a transfer needs a permission on the target organization', FOREIGN),
  guard('viewable-spaces', 'lists contain only what the caller may view', [
    'test/permissions',
    'test/spaces',
  ]),
  guard('token-required', 'a token is required', DENIALS, at('value', becomes("'FORBIDDEN'"))),
  guard('token-scope', 'the scope of a token', DENIALS),
  guard('publishing-secrets-scope', 'a read-only token does not read what admits visitors', DENIALS),
  guard('token-expiry', 'an expired token is invalid', 'test/server/wire.test.ts'),
  guard('operator-only', 'operator only', DENIALS),
  guard('rate-limit', 'the rate limit', 'test/server/limits.test.ts'),
  guard(
    'rate-limit-by-token',
    'the rate limit applies to each token',
    'test/server/limits.test.ts',
    at('value', becomes("''")),
  ),
  guard('body-limit', 'the body limit', 'test/server/wire.test.ts', at('value', becomes('2 ** 40'))),
  guard('deadlock-retry', 'a deadlock is retried', 'test/placement/placement.test.ts', always),
  guard(
    'client-without-any',
    'the packed client has no any',
    'test/clients/package.test.ts',
    at('value', becomes("['any']")),
  ),
  guard(
    'client-optional-input',
    'the packed client says what may be left out',
    'test/clients/package.test.ts',
    replace({ '!== undefined': "=== 'optional'" }),
  ),
  guard('row-of-call', 'each call of a batch gets its own row', BATCHES, replace({ ' - 1]': ' - 1 && 0]' })),
  guard(
    'batch-key',
    'calls share a statement only with equal parameters',
    BATCHES,
    replace({ '.join': '.slice(1).join' }),
  ),
  guard('lock-missing-row', 'deleted meanwhile: what a mutation changes', DELETIONS),
  guard('team-kept', 'deleted meanwhile: the team of new members', DELETIONS),
  guard(
    'webhook-kept',
    'deleted meanwhile: a webhook that an event is for',
    DELETIONS,
    replace({ 'join webhook on webhook.id = one.webhook': '', 'for key share of webhook': '' }),
  ),
  guard('batch-failure-alone', 'a call that the database refuses makes no other fail', BATCHES, always),
  guard('batch-after-call', 'a call is answered by a statement sent after it', BATCHES),
  guard('batch-outside-transaction', 'calls in a transaction are not batched', BATCHES),
  guard(
    'last-review-counts',
    'merge rules: the last review of each reviewer counts',
    'test/change-requests/merge-rules.test.ts',
    replace({ '(not ': '(false and not ' }),
  ),
];
