import type { Guard } from './guards.ts';

const CONVERSATIONS = ['test/conversations/conversations.test.ts'];
const CLUSTERS = ['test/engine/conversations/clusters.test.ts'];

/** Guards of conversations and the clusters of their issues. */
export const CONVERSATION_GUARDS: Guard[] = [
  {
    name: 'a conversation that comes again is not processed again',
    file: 'routers/conversations/ingest.operation.ts',
    find: "        .whereRef('conversation.hash', '<>', 'excluded.hash'),\n",
    replace: ',\n',
    tests: CONVERSATIONS,
  },
  {
    name: 'a change request names a cluster of its organization',
    file: 'routers/change-requests/change-requests.operation.ts',
    find: "if (!(await keepRow(db, 'issues_cluster', cluster)))",
    replace: "if (!(await keepRow(db, 'issues_cluster', cluster)) && !cluster)",
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
];
