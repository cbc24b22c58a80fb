import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { Keywords } from '../engine/conversations/keywords.ts';

/** How many clusters, those in which it weighs most, are looked up for one keyword of an issue. */
const MAX_POSTINGS = 50;

/** How many clusters an issue is compared with. */
const MAX_CANDIDATES = 8;

/** How many keywords of a cluster, those that weigh most, are compared. */
const MAX_COMPARED_TERMS = 60;

/** The number of issues of an organization with each of some terms. */
export async function readFrequencies(
  db: Db,
  organization: string,
  terms: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('issue_term')
    .select(['term', 'issues'])
    .where('organization_id', '=', organization)
    .where((eb) => eb('term', '=', eb.fn.any(eb.val([...new Set(terms)]))))
    .execute();
  return new Map(rows.map(({ term, issues }) => [term, issues]));
}

/** The ids of the clusters that are most similar to some issues, a few for each. */
export async function findSimilarClusters(
  db: Db,
  organization: string,
  issues: readonly { keywords: Keywords }[],
  rarity: (keyword: string) => number,
): Promise<string[]> {
  const searched = issues.flatMap(({ keywords }, issue) =>
    [...keywords].map(([term, weight]) => ({ issue, term, weight: weight * rarity(term) ** 2 })),
  );
  if (searched.length === 0) return [];
  const { rows } = await sql<{ cluster: string }>`
    select distinct cluster_id as cluster from (
      select posting.cluster_id, row_number() over (
        partition by searched.issue
        order by sum(searched.weight * posting.weight) desc, posting.cluster_id
      ) as place
      from unnest(
          ${searched.map(({ issue }) => issue)}::int[],
          ${searched.map(({ term }) => term)}::text[],
          ${searched.map(({ weight }) => weight)}::float8[]
        ) as searched(issue, term, weight)
        cross join lateral (
          select cluster_id, weight from issues_cluster_term
          where organization_id = ${organization} and term = searched.term collate "C"
          order by weight desc, cluster_id desc limit ${MAX_POSTINGS}
        ) as posting
      group by searched.issue, posting.cluster_id
    ) as ranked where place <= ${MAX_CANDIDATES}`.execute(db);
  return rows.map(({ cluster }) => cluster);
}

/** The weights of the terms of some clusters, and the number of issues of the organization with these terms. */
export async function readWeights(
  db: Db,
  organization: string,
  clusters: readonly string[],
): Promise<{ of: Map<string, Map<string, number>>; frequencies: Map<string, number> }> {
  const of = new Map<string, Map<string, number>>();
  const frequencies = new Map<string, number>();
  if (clusters.length === 0) return { of, frequencies };
  const { rows } = await sql<{ cluster: string; term: string; weight: number; issues: number | null }>`
    select searched.id as cluster, heaviest.term, heaviest.weight, issue_term.issues
    from unnest(${[...clusters]}::text[]) as searched(id)
      cross join lateral (
        select term, weight from issues_cluster_term
        where cluster_id = searched.id order by weight desc, term limit ${MAX_COMPARED_TERMS}
      ) as heaviest
      left join issue_term
        on issue_term.organization_id = ${organization} and issue_term.term = heaviest.term`.execute(db);
  for (const { cluster, term, weight, issues } of rows) {
    const weights = of.get(cluster) ?? new Map<string, number>();
    of.set(cluster, weights.set(term, weight));
    frequencies.set(term, issues ?? 0);
  }
  return { of, frequencies };
}

/** Updates the weights of terms in clusters, and the number of issues with each term, as issues are added and removed. */
export async function changeTerms(
  db: Db,
  organization: string,
  changes: readonly { cluster: string | null; terms: Record<string, number>; by: 1 | -1 }[],
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const weights = sumWeights(changes);
  if (weights.length > 0) {
    await sql`
      insert into issues_cluster_term (organization_id, cluster_id, term, weight)
      select ${organization}, * from unnest(
        ${weights.map(({ cluster }) => cluster)}::text[],
        ${weights.map(({ term }) => term)}::text[],
        ${weights.map(({ weight }) => weight)}::int[])
      on conflict (cluster_id, term) do update set weight = issues_cluster_term.weight + excluded.weight`.execute(
      db,
    );
    if (weights.some(({ weight }) => weight < 0))
      await db
        .deleteFrom('issues_cluster_term')
        .where((eb) =>
          eb('cluster_id', '=', eb.fn.any(eb.val([...new Set(weights.map(({ cluster }) => cluster))]))),
        )
        .where('weight', '<=', 0)
        .execute();
  }
  const counted = [...counts].filter(([, by]) => by !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (counted.length === 0) return;
  await sql`
    insert into issue_term (organization_id, term, issues)
    select ${organization}, * from unnest(
      ${counted.map(([term]) => term)}::text[], ${counted.map(([, by]) => by)}::int[])
    on conflict (organization_id, term) do update set issues = issue_term.issues + excluded.issues`.execute(
    db,
  );
  if (counted.every(([, by]) => by > 0)) return;
  await db
    .deleteFrom('issue_term')
    .where('organization_id', '=', organization)
    .where((eb) => eb('term', '=', eb.fn.any(eb.val(counted.map(([term]) => term)))))
    .where('issues', '<=', 0)
    .execute();
}

/** The changes of weights by cluster and term, in this order. */
function sumWeights(
  changes: readonly { cluster: string | null; terms: Record<string, number>; by: 1 | -1 }[],
): { cluster: string; term: string; weight: number }[] {
  const sums = new Map<string, { cluster: string; term: string; weight: number }>();
  for (const { cluster, terms, by } of changes) {
    if (cluster === null) continue;
    for (const [term, weight] of Object.entries(terms)) {
      const key = `${cluster} ${term}`;
      const sum = sums.get(key) ?? { cluster, term, weight: 0 };
      sum.weight += by * weight;
      sums.set(key, sum);
    }
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, sum]) => (sum.weight === 0 ? [] : [sum]));
}
