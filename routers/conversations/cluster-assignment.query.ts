import { IssuesCluster } from '../../schema/entities/issues-cluster.ts';
import { newId } from '../../schema/ids.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { runInTurns } from '../base/run-in-turns.ts';
import { assignIssues, createRarityFunction, type Frequencies } from '../engine/conversations/clusters.ts';
import type { ExtractedIssue } from '../engine/conversations/extract.ts';
import { iconFor } from '../engine/conversations/icons.ts';
import { findSimilarClusters, readWeights } from './issue-index.query.ts';

/** Issues that are added, and those that have been removed. */
interface IssueChanges {
  added: readonly (ExtractedIssue & { id: string; key: string })[];
  removed: readonly { cluster: string | null; terms: Readonly<Record<string, number>> }[];
}

/**
 * Assigns new issues to similar clusters without the removed issues, or to new ones.
 * @returns the clusters that gain or lose issues, and the cluster of each new issue by its key
 */
export async function assignClusters(
  db: Db,
  organization: string,
  { added, removed }: IssueChanges,
  indexed: Frequencies,
  now: Date,
): Promise<{ clusters: Map<string, Row<IssuesCluster>>; clusterOf: Map<string, string> }> {
  const similar = await findSimilarClusters(db, organization, added, createRarityFunction(indexed));
  const touched = [...new Set([...similar, ...removed.flatMap(({ cluster }) => cluster ?? [])])].sort();
  const clusters = await readClusters(db, touched);
  const weights = await readWeights(db, organization, touched);
  const frequencies = {
    issues: indexed.issues,
    byKeyword: new Map([...weights.frequencies, ...indexed.byKeyword]),
  };
  for (const { cluster, terms } of removed)
    for (const [term, weight] of Object.entries(terms))
      subtractWeight(weights.of.get(cluster ?? ''), term, weight);

  const compared = touched.map((id) => ({ id, keywords: weights.of.get(id) ?? new Map<string, number>() }));
  // In turns, because all pairs of issues and clusters may be similar.
  const { known, added: fresh } = await runInTurns(assignIssues(added, compared, frequencies));
  const byKey = new Map(added.map((issue) => [issue.key, issue]));
  const clusterOf = new Map<string, string>();
  for (const [cluster, keys] of known) for (const key of keys) clusterOf.set(key, cluster);
  for (const keys of fresh) {
    const typical = byKey.get(keys[0] ?? '');
    if (!typical) continue;
    const cluster = newCluster(organization, typical, now);
    clusters.set(cluster.id, cluster);
    for (const key of keys) clusterOf.set(key, cluster.id);
  }
  return { clusters, clusterOf };
}

function subtractWeight(weights: Map<string, number> | undefined, term: string, weight: number): void {
  const before = weights?.get(term);
  if (!weights || before === undefined) return;
  if (before > weight) weights.set(term, before - weight);
  else weights.delete(term);
}

async function readClusters(db: Db, ids: readonly string[]): Promise<Map<string, Row<IssuesCluster>>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues_cluster')
    .select(columnsOf(IssuesCluster))
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** A cluster named after an issue, before anything is counted. */
const newCluster = (
  organization: string,
  { id, title, summary, keywords }: ExtractedIssue & { id: string },
  now: Date,
): Row<IssuesCluster> => ({
  id: newId(),
  organization,
  representative: id,
  label: title,
  summary,
  icon: iconFor(keywords),
  issues: 0,
  conversations: 0,
  sources: {},
  weeks: {},
  describedIssues: 0,
  describeError: null,
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
});
