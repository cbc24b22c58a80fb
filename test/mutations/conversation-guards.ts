import type { Guard } from './guards.ts';

const CONVERSATIONS = ['test/conversations/conversations.test.ts'];
const CLUSTERS = ['test/engine/conversations/clusters.test.ts'];

/** Guards of conversations and the clusters of their issues. */
export const CONVERSATION_GUARDS: Guard[] = [
  {
    name: 'a conversation that comes again is not processed again',
    file: 'routers/conversations/ingest.operation.ts',
    find: "eb('conversation.hash', '<>', eb.ref('excluded.hash')),",
    replace: 'eb.lit(true),',
    tests: CONVERSATIONS,
  },
  {
    name: 'a change request names a cluster of its organization',
    file: 'routers/change-requests/change-requests.operation.ts',
    find: "if (!(await lockReferencedRow(db, 'issues_cluster', cluster)))",
    replace: "if (!(await lockReferencedRow(db, 'issues_cluster', cluster)) && !cluster)",
    tests: CONVERSATIONS,
  },
  {
    name: 'issues are compared in an order of their own',
    file: 'routers/engine/conversations/clusters.ts',
    find: '.toSorted((a, b) => (a.key < b.key ? -1 : 1));',
    replace: ';',
    tests: CLUSTERS,
  },
  {
    name: 'a cluster without issues is deleted',
    file: 'routers/conversations/clustering.operation.ts',
    find: 'if (empty.length > 0)',
    replace: 'if (empty.length > 1000)',
    tests: CONVERSATIONS,
  },
  {
    name: 'a conversation is given up after some attempts',
    file: 'routers/conversations/extraction.operation.ts',
    find: 'case when attempts + 1 <',
    replace: 'case when attempts <',
    tests: CONVERSATIONS,
  },
  {
    name: 'a conversation that was given up is tried again when it comes again',
    file: 'routers/conversations/ingest.operation.ts',
    find: "eb('conversation.process_error', 'is not', null)",
    replace: "eb('conversation.process_error', 'is', null)",
    tests: CONVERSATIONS,
  },
  {
    name: 'a cluster that was described is named anew when an issue is deleted',
    file: 'routers/conversations/clustering.operation.ts',
    find: '(describedIssues > 0 && reduced.has(id))',
    replace: '(describedIssues < 0 && reduced.has(id))',
    tests: CONVERSATIONS,
  },
  {
    name: 'a description that takes in a deleted issue is dropped',
    file: 'routers/conversations/describe-clusters.operation.ts',
    find: 'if (Number(left.count) < shown.length) return;',
    replace: '',
    tests: CONVERSATIONS,
  },
  {
    name: 'a model is shown what users wrote alone',
    file: 'routers/engine/conversations/extract.ts',
    find: "messages.filter(({ role }) => role === 'user').map",
    replace: 'messages.map',
    tests: CONVERSATIONS,
  },
  {
    name: 'issues of a model have something to compare them by',
    file: 'routers/engine/conversations/model-responses.ts',
    find: 'issues?.every(({ keywords }) => keywords.size > 0) ? issues : undefined',
    replace: 'issues',
    tests: CONVERSATIONS,
  },
];
