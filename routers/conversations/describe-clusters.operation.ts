import { IssuesCluster } from '../../schema/entities/issues-cluster.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { runFor } from '../base/caller.ts';
import { forEachConcurrently } from '../base/concurrency.ts';
import type { Context, Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { EngineFailure, type IssueEngine, UnusableResponse } from '../base/language-ports.ts';
import type { Jobs } from '../base/ports.ts';
import { readAgentInstructions } from '../organizations/agent-instructions.query.ts';
import { lockIssueIndex } from './clustering.operation.ts';

/** How many issues of a cluster, the latest ones, a description is based on. */
const DESCRIBED_ISSUES = 20;

/** By what factor a cluster has to grow before it is described again. */
const GROWTH_FACTOR = 2;

/** Clusters that one job describes. */
const CLUSTERS_PER_JOB = 200;

/** Whether a cluster has several issues, and has not been described since it has about this size. */
const needsDescription = ({ issues, describedIssues }: Pick<IssuesCluster, 'issues' | 'describedIssues'>) =>
  issues > 1 && issues >= describedIssues * GROWTH_FACTOR;

/** Enqueues the description of changed clusters that need one, if the engine describes clusters. */
export async function enqueueDescriptions(
  db: Db,
  { jobs, issueEngine }: Pick<Services, 'jobs' | 'issueEngine'>,
  organization: string,
  changed: readonly Row<IssuesCluster>[],
): Promise<void> {
  if (!issueEngine.describe) return;
  const clusters = changed.filter(needsDescription).map(({ id }) => id);
  const parts = Array.from({ length: Math.ceil(clusters.length / CLUSTERS_PER_JOB) }, (_, part) => ({
    data: { organization, clusters: clusters.slice(part * CLUSTERS_PER_JOB, (part + 1) * CLUSTERS_PER_JOB) },
    group: organization,
  }));
  if (parts.length > 0) await jobs.enqueue(db, 'describe-clusters', ...parts);
}

/**
 * Has an engine describe clusters by some of their issues. Skips those that are described already, so that it can run again;
 * those that cannot be described keep their names, and the error is saved with them.
 * @throws EngineFailure if some have to be tried again
 */
export async function describeClusters(
  context: Context,
  { organization, clusters }: Jobs['describe-clusters'],
): Promise<void> {
  const { db, services } = context;
  const { describe, limits } = services.issueEngine;
  // The configuration of the engine may have changed since.
  if (!describe) return;
  await runFor({ organization, user: organization }, async () => {
    const rows = await db
      .selectFrom('issues_cluster')
      .select(columnsOf(IssuesCluster))
      .where('organization_id', '=', organization)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(clusters))))
      .orderBy('id')
      .execute();
    const instructions = await readAgentInstructions(db, organization);
    let problem: string | undefined;
    try {
      await forEachConcurrently(rows.filter(needsDescription), limits.requests, async (cluster) => {
        const why = await describeCluster(context, describe, cluster, instructions);
        problem = why ?? problem;
      });
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      problem = error.message;
      await saveDescribeError(db, organization, clusters, problem);
    }
    if (problem !== undefined) throw new EngineFailure(problem);
  });
}

/** @returns why it could not be described */
async function describeCluster(
  { db, transaction }: Context,
  describe: NonNullable<IssueEngine['describe']>,
  cluster: Row<IssuesCluster>,
  instructions: string,
): Promise<string | undefined> {
  const { id, organization } = cluster;
  const sampled = await db
    .selectFrom('conversation_issue')
    .select(['id', 'title', 'summary'])
    .where('cluster_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(DESCRIBED_ISSUES)
    .execute();
  try {
    const { label, summary, icon } = await describe(
      sampled.map(({ title, summary }) => ({ title, summary })),
      instructions,
    );
    await transaction(async (em) => {
      const locked = kyselyOf(em);
      await lockIssueIndex(locked, organization);
      const left = await locked
        .selectFrom('conversation_issue')
        .select((eb) => eb.fn.countAll().as('count'))
        .where((eb) => eb('id', '=', eb.fn.any(eb.val(sampled.map((issue) => issue.id)))))
        .where('cluster_id', '=', id)
        .executeTakeFirstOrThrow();
      // What was deleted meanwhile must not live on in a summary. The deletion has enqueued another description.
      // guard: cluster-description-outdated
      if (Number(left.count) < sampled.length) return;
      await locked
        .updateTable('issues_cluster')
        .set({ label, summary, icon, described_issues: cluster.issues, describe_error: null })
        .where('id', '=', id)
        .execute();
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableResponse)) throw error;
    await saveDescribeError(db, organization, [id], error.message);
    return error.message;
  }
}

/** Saves why clusters that need a description have none. */
async function saveDescribeError(
  db: Db,
  organization: string,
  clusters: readonly string[],
  problem: string,
): Promise<void> {
  await db
    .updateTable('issues_cluster')
    .set({ describe_error: problem })
    .where('organization_id', '=', organization)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...clusters]))))
    .where('issues', '>', 1)
    .whereRef('issues', '>=', (eb) => eb('described_issues', '*', eb.lit(GROWTH_FACTOR)))
    .execute();
}
