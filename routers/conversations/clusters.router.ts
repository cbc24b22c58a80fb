import { z } from 'zod';
import { IssuesCluster } from '../../schema/entities/issues-cluster.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import type { OrganizationAccess } from '../access/load.query.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { IssuesClusterObject, presentCluster, type TasksByStatus } from './clusters.api.ts';
import { route } from './route.ts';

const PATH = '/orgs/{organizationId}/conversations-clusters';

/** What clusters can be ordered by; the order of their ids is that of their creation. */
const ORDERS = {
  updatedAt: { column: 'issues_cluster.updated_at', of: (row: Row<IssuesCluster>) => String(row.updatedAt) },
  createdAt: undefined,
  issues: { column: 'issues_cluster.issues', of: (row: Row<IssuesCluster>) => row.issues },
  conversations: {
    column: 'issues_cluster.conversations',
    of: (row: Row<IssuesCluster>) => row.conversations,
  },
} as const;

/** Change requests that are being worked on. */
const ACTIVE_STATUSES = ['draft', 'open'] as const;

export const issuesClustersRouter = router({
  list: organizationProcedure('viewConversations')
    .meta(
      route.get(PATH, 'List the clusters of issues of an organization', 'listConversationsIssuesClusters', {
        description: 'Lists groups of issues about the same subject.',
      }),
    )
    .input(
      z.object({
        ...paging,
        order: z.enum(['asc', 'desc']).default('desc').describe('The sort order: ascending or descending.'),
        orderBy: z
          .enum(Object.keys(ORDERS) as [keyof typeof ORDERS, ...(keyof typeof ORDERS)[]])
          .default('updatedAt')
          .describe('The time or number to order the list by.'),
        status: z
          .enum(['pending', 'analysing'])
          .optional()
          .describe(
            '`analysing` for only those that a draft or open change request addresses, `pending` for the others.',
          ),
      }),
    )
    .output(listOf(IssuesClusterObject))
    .query(async ({ ctx, input }) => {
      const { db, organization, viewer } = ctx;
      const { order: direction, orderBy, status } = input;
      const tasks = visibleTasks(ctx);
      let listed = db
        .selectFrom('issues_cluster')
        .where('issues_cluster.organization_id', '=', organization.id);
      if (status !== undefined)
        listed = listed.where((eb) => {
          const named = eb.exists(
            tasks
              .select('change_request.id')
              .whereRef('change_request.conversations_issues_cluster_id', '=', eb.ref('issues_cluster.id'))
              .where('change_request.status', 'in', ACTIVE_STATUSES),
          );
          return status === 'analysing' ? named : eb.not(named);
        });
      const by = ORDERS[orderBy];
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(IssuesCluster)),
        order: [
          ...(by ? [{ ...by, direction }] : []),
          { column: 'issues_cluster.id', direction, of: (row) => row.id },
        ],
        complete: async (rows) => {
          const counts = await countTasks(tasks, rows);
          return rows.map((row) => presentCluster(row, counts.get(row.id) ?? {}, viewer));
        },
      });
    }),

  get: organizationProcedure('viewConversations')
    .meta(
      route.get(`${PATH}/{clusterId}`, 'Get a cluster of issues', 'getConversationsIssuesCluster', {
        description: 'Returns the summary of the cluster, and how often it came up in recent weeks.',
      }),
    )
    .input(z.object({ clusterId: z.string().describe('The id of the cluster of issues.') }))
    .output(IssuesClusterObject)
    .query(async ({ ctx, input: { clusterId } }) => {
      const { db, organization, viewer } = ctx;
      const cluster = await db
        .selectFrom('issues_cluster')
        .select(columnsOf(IssuesCluster))
        .where('id', '=', clusterId)
        .where('organization_id', '=', organization.id)
        .executeTakeFirst();
      if (!cluster) throw notFound('cluster');
      const counts = await countTasks(visibleTasks(ctx), [cluster]);
      return presentCluster(cluster, counts.get(cluster.id) ?? {}, viewer);
    }),
});

/** The change requests of an organization in the spaces that the caller may view. */
const visibleTasks = ({ db, organization, member, grants }: { db: Db } & OrganizationAccess) =>
  db
    .selectFrom('change_request')
    .innerJoin('space', 'space.id', 'change_request.space_id')
    .where('change_request.organization_id', '=', organization.id)
    .where('space.deleted_at', 'is', null)
    // guard: cluster-visible-tasks
    .where(viewable('space', member, [...grants.keys()]));

/** Counts those that address each of some clusters, by their status. */
async function countTasks(
  tasks: ReturnType<typeof visibleTasks>,
  clusters: readonly Pick<Row<IssuesCluster>, 'id'>[],
): Promise<Map<string, TasksByStatus>> {
  const counts = new Map<string, TasksByStatus>();
  if (clusters.length === 0) return counts;
  const rows = await tasks
    .select(['change_request.conversations_issues_cluster_id as cluster', 'change_request.status'])
    .select((eb) => eb.fn.countAll().as('count'))
    .where((eb) =>
      eb(
        'change_request.conversations_issues_cluster_id',
        '=',
        eb.fn.any(eb.val(clusters.map(({ id }) => id))),
      ),
    )
    .groupBy(['change_request.conversations_issues_cluster_id', 'change_request.status'])
    .execute();
  for (const { cluster, status, count } of rows) {
    const known = counts.get(String(cluster)) ?? {};
    known[status] = Number(count);
    counts.set(String(cluster), known);
  }
  return counts;
}
