import { type RawBuilder, sql } from 'kysely';
import type { DefaultLevel, Role } from '../../schema/enums.ts';
import { effectiveLevel, type Grants, type Membership } from './levels.ts';

interface Placed {
  id: string;
  ancestors: string[];
  effectiveDefault: DefaultLevel | null;
}

/** The caller's level on a row of a list, from the grants loaded with the organization. */
export function levelOn(member: Membership, grants: Grants, content: Placed): Role | null {
  const roles = [content.id, ...content.ancestors].flatMap((id) => grants.get(id) ?? []);
  return effectiveLevel(member, content, roles);
}

/** What the caller may view of a table with `id`, `ancestors` and `effective_default`: the same rule, as SQL. */
export function viewable(
  table: 'space' | 'collection',
  member: Membership,
  grants: Grants,
): RawBuilder<boolean> {
  if (member.role === 'admin') return sql<boolean>`true`;
  const granted = sql.val([...grants.keys()]);
  const byGrant = sql`${sql.ref(`${table}.id`)} = any(${granted}) or ${sql.ref(`${table}.ancestors`)} && ${granted}`;
  return member.role === null
    ? sql<boolean>`(${byGrant})`
    : sql<boolean>`(${sql.ref(`${table}.effective_default`)} is not null or ${byGrant})`;
}
