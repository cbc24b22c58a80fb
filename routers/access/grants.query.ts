import { type ExpressionBuilder, sql } from 'kysely';
import type { Role } from '../../schema/enums.ts';
import type { Database } from '../../schema/rows.ts';
import type { Operand } from '../sql/batched-statement.ts';
import type { Grants } from './levels.ts';

/**
 * A condition on `permission` for the permissions granted to a user, directly or through teams. The teams are an array
 * rather than a subquery, so that both halves can use an index.
 */
export const grantedTo = (user: Operand) => sql<boolean>`(
  permission.user_id = ${user} or permission.team_id = any(array(
    select team_member.team_id from team_member where team_member.user_id = ${user})))`;

/** Grants as a JSON column: pairs of the id of a collection, space or site, and the level granted on it. */
type GrantColumn = [content: string, role: Role][] | null;

/** A subquery for all of a user's grants in the organization that a column of the outer query names. */
export const grantsIn = <Table extends keyof Database>(
  eb: ExpressionBuilder<Database, Table>,
  userId: Operand,
  organization:
    | 'organization.id'
    | 'collection.organization_id'
    | 'site.organization_id'
    | 'member.organization_id',
) =>
  (eb as unknown as ExpressionBuilder<Database, keyof Database>)
    .selectFrom('permission')
    .select(
      sql<GrantColumn>`json_agg(json_build_array(coalesce(collection_id, space_id, site_id), role))`.as(
        'grants',
      ),
    )
    .whereRef('permission.organization_id', '=', organization)
    .where(grantedTo(userId));

export function grantsByContent(grants: GrantColumn): Grants {
  const roles = new Map<string, Role[]>();
  for (const [content, role] of grants ?? []) roles.set(content, [...(roles.get(content) ?? []), role]);
  return roles;
}
