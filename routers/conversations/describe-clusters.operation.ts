import { IssuesCluster } from '../../schema/entities/issues-cluster.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { forEachConcurrently } from '../base/concurrency.ts';
import { runFor } from '../base/caller.ts';
import type { Context, Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { EngineFailure, type IssueEngine, UnusableResponse } from '../base/language-ports.ts';
import type { Jobs } from '../base/ports.ts';
import { readAgentInstructions } from '../organizations/agent-instructions.query.ts';
import { lockIssueIndex } from './clustering.operation.ts';

/** Issues of a cluster that an engine describes it by: the latest ones. */
const SHOWN_ISSUES = 20;

/** By how much a cluster has grown since it was described before it is described again. */
const GROWTH = 2;

/** Clusters of one job. */
const CLUSTERS = 200;

/** Whether a cluster has more to say than its issue, and has not said it yet. */
const needsDescription = ({ issues, describedIssues }: Pick<IssuesCluster, 'issues' | 'describedIssues'>) =>
  issues > 1 && issues >= describedIssues * GROWTH;

/** Enqueues the description of changed clusters that need one, if the engine describes clusters. */
export async function enqueueDescriptions(
  db: Db,
  { jobs, issueEngine }: Pick<Services, 'jobs' | 'issueEngine'>,
  organization: string,
  changed: readonly Row<IssuesCluster>[],
): Promise<void> {
  if (!issueEngine.describe) return;
  const clusters = changed.filter(needsDescription).map(({ id }) => id);
  const parts = Array.from({ length: Math.ceil(clusters.length / CLUSTERS) }, (_, part) => ({
    data: { organization, clusters: clusters.slice(part * CLUSTERS, (part + 1) * CLUSTERS) },
    group: organization,
  }));
  if (parts.length > 0) await jobs.enqueue(db, 'describe-clusters', ...parts);
}

/**
 * Has clusters described by some of their issues. Those that are described are left out, so that it may run again; those that
 * cannot be are named as before, and say why.
 * @throws EngineFailure if some have to be tried again
 */
export async function describeClusters(
  context: Context,
  { organization, clusters }: Jobs['describe-clusters'],
): Promise<void> {
  const { db, services } = context;
  const { describe, limits } = services.issueEngine;
  // The engine may have been configured otherwise since.
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
      await noteProblem(db, organization, clusters, problem);
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
  const shown = await db
    .selectFrom('conversation_issue')
    .select(['id', 'title', 'summary'])
    .where('cluster_id', '=', id)
    .orderBy('id', 'desc')
    .limit(SHOWN_ISSUES)
    .execute();
  try {
    const { label, summary, icon } = await describe(
      shown.map(({ title, summary }) => ({ title, summary })),
      instructions,
    );
    await transaction(async (em) => {
      const locked = kyselyOf(em);
      await lockIssueIndex(locked, organization);
      const left = await locked
        .selectFrom('conversation_issue')
        .select((eb) => eb.fn.countAll().as('count'))
        .where((eb) => eb('id', '=', eb.fn.any(eb.val(shown.map((issue) => issue.id)))))
        .where('cluster_id', '=', id)
        .executeTakeFirstOrThrow();
      // What was deleted meanwhile must not live on in a summary; its deletion has enqueued another description.
      // guard: cluster-description-outdated
      if (Number(left.count) < shown.length) return;
      await locked
        .updateTable('issues_cluster')
        .set({ label, summary, icon, described_issues: cluster.issues, describe_error: null })
        .where('id', '=', id)
        .execute();
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableResponse)) throw error;
    await noteProblem(db, organization, [id], error.message);
    return error.message;
  }
}

/** Notes why those of some clusters that need a description have none. */
async function noteProblem(
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
    .whereRef('issues', '>=', (eb) => eb('described_issues', '*', eb.lit(GROWTH)))
    .execute();
}
