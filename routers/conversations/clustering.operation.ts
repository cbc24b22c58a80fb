import { sql } from 'kysely';
import type { IssuesCluster } from '../../schema/entities/issues-cluster.ts';
import { newId } from '../../schema/ids.ts';
import type { Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import type { ExtractedIssue } from '../engine/conversations/extract.ts';
import { applyWeekChanges, weekOf } from '../engine/conversations/weeks.ts';
import { assignClusters } from './cluster-assignment.query.ts';
import { changeTerms, readFrequencies } from './issue-index.query.ts';

/** The similarity index of an organization, locked by the transaction. */
export interface LockedIndex {
  organization: string;
  /** The number of issues with keywords. */
  issues: number;
}

interface NewIssue extends ExtractedIssue {
  createdAt: Date;
  ingestedAt: Date;
}

/** A conversation whose issues are replaced. Conversations are processed in the order of their keys. */
interface Replacement {
  id: string;
  source: string;
  key: string;
  issues: readonly NewIssue[];
}

/** Locks the issues and clusters of an organization, so that one transaction at a time changes them. */
export async function lockIssueIndex(db: Db, organization: string): Promise<LockedIndex> {
  const { issues } = await db
    .insertInto('issue_index')
    .values({ organization_id: organization, issues: 0 })
    // An update that changes nothing locks the row, and returns its values.
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet((eb) => ({ issues: eb.ref('issue_index.issues') })),
    )
    .returning('issues')
    .executeTakeFirstOrThrow();
  return { organization, issues };
}

/** An issue that is added to a cluster, or removed from it. */
interface Change {
  issue: string;
  conversation: string;
  source: string;
  cluster: string | null;
  terms: Record<string, number>;
  week: number;
  by: 1 | -1;
}

/**
 * Replaces the issues of conversations, assigns the new ones to clusters, and updates the counts of these. Takes a fixed
 * number of statements, however much there is in the organization.
 * @returns the clusters whose issues have changed, with their new counts
 */
export async function replaceIssues(
  db: Db,
  index: LockedIndex,
  replacements: readonly Replacement[],
  now: Date,
): Promise<Row<IssuesCluster>[]> {
  if (replacements.length === 0) return [];
  const { organization } = index;
  const removed = await removeIssues(db, replacements);
  const added = replacements.flatMap((replacement) => indexedIssues(replacement, now));
  const counted = countTermChanges(
    removed.map((issue) => issue.terms),
    added.map((issue) => issue.terms),
  );
  const isIndexed = ({ terms }: { terms: object }) => Object.keys(terms).length > 0;
  const total = index.issues + added.filter(isIndexed).length - removed.filter(isIndexed).length;
  const terms = [...added, ...removed].flatMap((issue) => Object.keys(issue.terms));
  const byKeyword = await readFrequencies(db, organization, terms);
  for (const [term, by] of counted) byKeyword.set(term, (byKeyword.get(term) ?? 0) + by);

  const { clusters, clusterOf } = await assignClusters(
    db,
    organization,
    { added, removed },
    { issues: total, byKeyword },
    now,
  );
  const placed = added.map((issue) => ({ ...issue, cluster: clusterOf.get(issue.key) ?? null }));
  const changes: Change[] = [
    ...removed.map((issue) => ({ ...issue, issue: issue.id, by: -1 as const })),
    ...placed.map((issue) => ({ ...issue, issue: issue.id, by: 1 as const })),
  ];
  const changed = countChanges(clusters, changes, now);
  // Issues refer to their clusters, so these come first.
  await saveClusters(db, changed);
  await insertIssues(db, organization, placed);
  await renameClusters(db, changed, removed);
  const empty = await deleteEmptyClusters(db, changed);
  const lasting = changes.filter(({ cluster }) => cluster !== null && !empty.has(cluster));
  await changeTerms(db, organization, lasting, counted);
  await db
    .updateTable('issue_index')
    .set({ issues: total })
    .where('organization_id', '=', organization)
    .execute();
  return changed;
}

/** The issues of a conversation with what is stored about them. */
const indexedIssues = ({ id, source, key, issues }: Replacement, now: Date) =>
  issues.map((issue, place) => ({
    ...issue,
    id: newId(),
    conversation: id,
    source,
    key: `${key}\0${String(place).padStart(4, '0')}`,
    terms: Object.fromEntries(issue.keywords),
    week: Math.min(weekOf(issue.createdAt), weekOf(now)),
  }));

/** Deletes the clusters without issues, with their terms and the references to them in change requests. */
async function deleteEmptyClusters(db: Db, clusters: readonly Row<IssuesCluster>[]): Promise<Set<string>> {
  const empty = clusters.filter(({ issues }) => issues === 0).map(({ id }) => id);
  // guard: cluster-empty
  if (empty.length > 0)
    await db
      .deleteFrom('issues_cluster')
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(empty))))
      .execute();
  return new Set(empty);
}

/** Deletes the issues of conversations. */
async function removeIssues(db: Db, conversations: readonly Replacement[]) {
  const sources = new Map(conversations.map(({ id, source }) => [id, source]));
  const rows = await db
    .deleteFrom('conversation_issue')
    .where((eb) => eb('conversation_id', '=', eb.fn.any(eb.val([...sources.keys()]))))
    .returning(['id', 'conversation_id as conversation', 'cluster_id as cluster', 'terms', 'week'])
    .execute();
  return rows.map(({ id, conversation, cluster, terms, week }) => ({
    id,
    conversation: String(conversation),
    source: sources.get(String(conversation)) ?? '',
    cluster: cluster === null || cluster === undefined ? null : String(cluster),
    terms: terms as Record<string, number>,
    week,
  }));
}

/** The change in the number of issues with each term. */
function countTermChanges(removed: readonly object[], added: readonly object[]): Map<string, number> {
  const changes = new Map<string, number>();
  for (const [list, by] of [[removed, -1] as const, [added, 1] as const])
    for (const terms of list)
      for (const term of Object.keys(terms)) changes.set(term, (changes.get(term) ?? 0) + by);
  return changes;
}

/** The clusters that have changed, with their new counts. */
function countChanges(
  clusters: ReadonlyMap<string, Row<IssuesCluster>>,
  changes: readonly Change[],
  now: Date,
): Row<IssuesCluster>[] {
  const byCluster = Map.groupBy(changes, ({ cluster }) => cluster);
  return [...byCluster].flatMap(([id, own]) => {
    const cluster = clusters.get(id ?? '');
    if (!cluster) return [];
    const sources = new Map(Object.entries(cluster.sources));
    for (const { source, by } of own) sources.set(source, (sources.get(source) ?? 0) + by);
    // All issues of a conversation change at once: it was in the cluster if one is removed, and is in it if one is added.
    const members = (sign: number) =>
      new Set(own.filter(({ by }) => by === sign).map(({ conversation }) => conversation)).size;
    return {
      ...cluster,
      issues: own.reduce((sum, { by }) => sum + by, cluster.issues),
      conversations: cluster.conversations + members(1) - members(-1),
      sources: Object.fromEntries([...sources].filter(([, count]) => count > 0)),
      weeks: applyWeekChanges(cluster.weeks, own, now),
      updatedAt: now.toISOString(),
    };
  });
}

/** Saves new and changed clusters. */
async function saveClusters(db: Db, clusters: readonly Row<IssuesCluster>[]): Promise<void> {
  if (clusters.length === 0) return;
  const rows = clusters
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ organization, sources, weeks, representative, createdAt, updatedAt, ...rest }) => ({
      id: rest.id,
      label: rest.label,
      summary: rest.summary,
      icon: rest.icon,
      issues: rest.issues,
      conversations: rest.conversations,
      organization_id: organization,
      representative_id: representative,
      sources: sql<never>`${JSON.stringify(sources)}::jsonb`,
      weeks: sql<never>`${JSON.stringify(weeks)}::jsonb`,
      created_at: new Date(createdAt),
      updated_at: new Date(updatedAt),
    }));
  await db
    .insertInto('issues_cluster')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        representative_id: eb.ref('excluded.representative_id'),
        label: eb.ref('excluded.label'),
        summary: eb.ref('excluded.summary'),
        issues: eb.ref('excluded.issues'),
        conversations: eb.ref('excluded.conversations'),
        sources: eb.ref('excluded.sources'),
        weeks: eb.ref('excluded.weeks'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .execute();
}

async function insertIssues(
  db: Db,
  organization: string,
  issues: readonly (NewIssue & {
    id: string;
    conversation: string;
    cluster: string | null;
    terms: Record<string, number>;
    week: number;
  })[],
): Promise<void> {
  if (issues.length === 0) return;
  const rows = issues.map(
    ({ id, conversation, cluster, title, summary, terms, week, createdAt, ingestedAt }) => ({
      id,
      organization_id: organization,
      conversation_id: conversation,
      cluster_id: cluster,
      title,
      summary,
      terms: sql<never>`${JSON.stringify(terms)}::jsonb`,
      week,
      created_at: createdAt,
      ingested_at: ingestedAt,
    }),
  );
  await db.insertInto('conversation_issue').values(rows).execute();
}

/**
 * Names clusters after their oldest issue if the one that they were named after was removed, or one that a description may
 * be based on.
 */
async function renameClusters(
  db: Db,
  clusters: readonly Row<IssuesCluster>[],
  removed: readonly { id: string; cluster: string | null }[],
): Promise<void> {
  const removedIds = new Set(removed.map(({ id }) => id));
  const affectedClusters = new Set(removed.map(({ cluster }) => cluster));
  const renamed = clusters.filter(
    ({ id, issues, representative, describedIssues }) =>
      // guard: cluster-renamed
      issues > 0 && (removedIds.has(representative) || (describedIssues > 0 && affectedClusters.has(id))),
  );
  if (renamed.length === 0) return;
  for (const cluster of renamed) cluster.describedIssues = 0;
  await sql`
    update issues_cluster set representative_id = oldest.id, label = oldest.title, summary = oldest.summary,
      described_issues = 0
    from unnest(${renamed.map(({ id }) => id)}::text[]) as renamed(id)
      cross join lateral (
        select id, title, summary from conversation_issue
        where cluster_id = renamed.id order by created_at, id limit 1
      ) as oldest
    where issues_cluster.id = renamed.id`.execute(db);
}
