import { guard } from './guard.ts';
import { always, at, becomes, never, replace } from './mutations.ts';

const CONVERSATIONS = ['test/conversations'];
const CLUSTERS = ['test/engine/conversations/clusters.test.ts'];

/** Guards of conversations and the clusters of their issues. */
export const CONVERSATION_GUARDS = [
  guard(
    'conversation-unchanged',
    'a conversation that comes again is not processed again',
    CONVERSATIONS,
    becomes('eb.lit(true)'),
  ),
  guard('cluster-in-organization', 'a change request names a cluster of its organization', CONVERSATIONS),
  guard('issue-order', 'issues are compared in an order of their own', CLUSTERS),
  guard('cluster-visible-tasks', 'clusters count what the caller may view', CONVERSATIONS),
  guard(
    'newest-conversations',
    'conversations are listed by when they began',
    CONVERSATIONS,
    replace({ 'column: START': "column: 'conversation.id'", 'String(startOf(row))': 'row.id' }),
  ),
  guard(
    'newest-issues',
    'issues are listed by when their conversation began',
    CONVERSATIONS,
    replace({
      "'conversation_issue.created_at'": "'conversation_issue.id'",
      'String(row.createdAt)': 'row.id',
    }),
  ),
  guard('cluster-empty', 'a cluster without issues is deleted', CONVERSATIONS),
  guard(
    'conversation-attempts',
    'a conversation is given up after some attempts',
    CONVERSATIONS,
    replace({ ' + 1': '' }),
  ),
  guard(
    'conversation-retry',
    'a conversation that was given up is tried again when it comes again',
    CONVERSATIONS,
    at('argument 2', becomes("'is'")),
  ),
  guard(
    'cluster-renamed',
    'a cluster that was described is renamed when an issue is deleted',
    CONVERSATIONS,
    at('operand 2 of operand 2', never),
  ),
  guard(
    'cluster-description-outdated',
    'a description that takes in a deleted issue is dropped',
    CONVERSATIONS,
  ),
  guard('conversation-user-messages', 'a model is shown what users wrote alone', CONVERSATIONS, at('object')),
  guard('issue-keywords', 'issues of a model have something to compare them by', CONVERSATIONS, always),
];
