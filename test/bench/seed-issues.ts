import { sql } from 'kysely';
import type { DatabaseHandle } from '../../server/database/database.ts';

const ISSUES_OF_A_CLUSTER = 20;

/** The number of a cluster's keywords: those shared with many clusters, and rare ones. */
const COMMON = 6;
const RARE = 34;
const RARE_WORDS = 20_000;

/** Inserts issues in clusters whose keywords overlap, as ingested conversations would. */
export async function seedIssues(
  { db }: Pick<DatabaseHandle, 'db'>,
  organization: string,
  { issues, common }: { issues: number; common: readonly string[] },
): Promise<void> {
  const clusters = Math.ceil(issues / ISSUES_OF_A_CLUSTER);
  const clusterId = sql`'C' || lpad(i::text, 19, '0')`;
  await sql`
    insert into issues_cluster (
      id, organization_id, representative_id, label, summary, icon, issues, conversations, sources, weeks, created_at, updated_at)
    select ${clusterId}, ${organization}, '', 'Cluster ' || i, '', 'bug', ${ISSUES_OF_A_CLUSTER}::int, ${ISSUES_OF_A_CLUSTER}::int,
      '{"email": 20}', '{}', now(), now()
    from generate_series(1, ${clusters}::int) as i`.execute(db);
  await sql`
    insert into conversation (id, organization_id, source, external_id, parts, hash, batch, processing_state, created_at)
    select 'V' || lpad(i::text, 19, '0'), ${organization}, 'email', i::text, '[]', '', '', 'complete', now()
    from generate_series(1, ${issues}::int) as i`.execute(db);
  await sql`
    insert into conversation_issue (
      id, organization_id, conversation_id, cluster_id, title, summary, terms, week, created_at, ingested_at)
    select 'I' || lpad(i::text, 19, '0'), ${organization}, 'V' || lpad(i::text, 19, '0'),
      'C' || lpad((1 + i % ${clusters}::int)::text, 19, '0'), 'Issue', '', '{}', 0, now(), now()
    from generate_series(0, ${issues}::int) as i where i > 0`.execute(db);
  // Not random, so that all runs are about the same.
  await sql`
    insert into issues_cluster_term (organization_id, cluster_id, term, weight)
    select ${organization}, ${clusterId}, term, max(weight) from generate_series(1, ${clusters}::int) as i, lateral (
      select (${[...common]}::text[])[1 + (i * 7919 + place * 104729) % ${common.length}::int] as term,
        100 + (i * 31 + place * 17) % 700 as weight
      from generate_series(1, ${COMMON}::int) as place
      union all
      select 'word' || (i * 7919 + place * 104729) % ${RARE_WORDS}::int, 40 + (i * 13 + place * 29) % 300
      from generate_series(1, ${RARE}::int) as place
    ) as having_terms group by i, term`.execute(db);
  await sql`
    insert into issue_term (organization_id, term, issues)
    select organization_id, term, sum(1 + weight / 40) from issues_cluster_term
    where organization_id = ${organization} group by organization_id, term`.execute(db);
  await sql`
    insert into issue_index (organization_id, issues) values (${organization}, ${issues})
    on conflict (organization_id) do update set issues = excluded.issues`.execute(db);
  await sql`analyze`.execute(db);
}
