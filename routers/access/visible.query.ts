import { type RawBuilder, sql } from 'kysely';
import type { Membership } from './levels.ts';

/**
 * The spaces, collections or sites that the caller may view: the rule of `levelOn` in SQL. `granted` holds the ids of all
 * that is granted to them.
 */
export function viewable(
  table: 'space' | 'collection' | 'site',
  member: Membership,
  granted: string[],
): RawBuilder<boolean> {
  if (member.role === 'admin') return sql<boolean>`true`;
  // As a table, which is hashed once: searching an array for every row would cost more per row the more grants there
  // are.
  const contents = sql`(select unnest(${granted}::text[]))`;
  const itself = sql`${sql.ref(`${table}.id`)} in ${contents}`;
  if (table === 'site') return byDefaultOr(member, 'site.default_level', itself);
  const ancestors = sql.ref(`${table}.ancestors`);
  const byGrant = sql`${itself} or (${ancestors} <> '{}' and exists (
    select from unnest(${ancestors}) as above (id) where above.id in ${contents}))`;
  return byDefaultOr(member, `${table}.effective_default`, byGrant);
}

/** Guests get no default. */
const byDefaultOr = (member: Membership, defaultLevel: string, byGrant: RawBuilder<unknown>) =>
  member.role === null
    ? sql<boolean>`(${byGrant})`
    : sql<boolean>`(${sql.ref(defaultLevel)} is not null or ${byGrant})`;
