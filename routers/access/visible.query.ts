import { type RawBuilder, sql } from 'kysely';
import type { Grants, Membership } from './levels.ts';

/**
 * The rows of a table with `id`, `ancestors` and `effective_default` that the caller may view: the same rule in SQL.
 */
export function viewable(
  table: 'space' | 'collection',
  member: Membership,
  grants: Grants,
): RawBuilder<boolean> {
  if (member.role === 'admin') return sql<boolean>`true`;
  // As a table, which is hashed once: searching an array for every row would cost more per row the more grants there
  // are.
  const granted = sql`(select unnest(${[...grants.keys()]}::text[]))`;
  const ancestors = sql.ref(`${table}.ancestors`);
  const byGrant = sql`${sql.ref(`${table}.id`)} in ${granted} or (${ancestors} <> '{}' and exists (
    select from unnest(${ancestors}) as above (id) where above.id in ${granted}))`;
  return member.role === null
    ? sql<boolean>`(${byGrant})`
    : sql<boolean>`(${sql.ref(`${table}.effective_default`)} is not null or ${byGrant})`;
}
