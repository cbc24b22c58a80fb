import { type RawBuilder, sql } from 'kysely';
import type { Membership } from './levels.ts';

/**
 * The rows of a table with `id`, `ancestors` and `effective_default` that the caller may view: the same rule in SQL.
 * `granted` holds the ids of all that is granted to them.
 */
export function viewable(
  table: 'space' | 'collection',
  member: Membership,
  granted: string[],
): RawBuilder<boolean> {
  if (member.role === 'admin') return sql<boolean>`true`;
  // As a table, which is hashed once: searching an array for every row would cost more per row the more grants there
  // are.
  const contents = sql`(select unnest(${granted}::text[]))`;
  const ancestors = sql.ref(`${table}.ancestors`);
  const byGrant = sql`${sql.ref(`${table}.id`)} in ${contents} or (${ancestors} <> '{}' and exists (
    select from unnest(${ancestors}) as above (id) where above.id in ${contents}))`;
  return member.role === null
    ? sql<boolean>`(${byGrant})`
    : sql<boolean>`(${sql.ref(`${table}.effective_default`)} is not null or ${byGrant})`;
}
