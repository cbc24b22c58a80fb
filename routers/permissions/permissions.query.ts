import { sql } from 'kysely';
import type { Space } from '../../schema/entities/space.ts';
import { User } from '../../schema/entities/user.ts';
import { type DefaultLevel, ROLES, type Role } from '../../schema/enums.ts';
import { columnsOf, type Presentable } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';

/** The part of a collection, space or site that access depends on. */
export interface Resource {
  kind: 'collection' | 'space' | 'site';
  id: string;
  organization: string;
  ancestors: string[];
  effectiveDefault: DefaultLevel | null;
}

/** The column of a grant that refers to its resource. */
export const resourceColumn = ({ kind }: Resource) => `permission.${kind}_id` as const;

/** The grants on a resource itself, not those on collections above. */
export const grantsOn = (db: Db, resource: Resource) =>
  db.selectFrom('permission').where(resourceColumn(resource), '=', resource.id);

/** The rank of a level, 1 being the strongest; null for none. */
const rank = (role: ReturnType<typeof sql>) =>
  sql<number | null>`array_position(${sql.val(ROLES)}::text[], ${role})`;

/**
 * The strongest grant of each user on a collection, space or site, or on a collection above, as one object from user id to
 * rank. It is looked up for each member, because a join might compare every member with every grant.
 */
function strongestGrants(resource: Resource) {
  const { id, organization, ancestors } = resource;
  const applicable = sql`permission.organization_id = ${organization} and (
    ${sql.ref(resourceColumn(resource))} = ${id} or permission.collection_id = any(${sql.val(ancestors)}))`;
  return sql<{ ranks: Record<string, number> | null }>`(
    select jsonb_object_agg(user_id, strongest) as ranks
    from (
      select user_id, min(${rank(sql`role`)}) as strongest
      from (
        select permission.user_id, permission.role from permission
        where ${applicable} and permission.user_id is not null
        union all
        select team_member.user_id, permission.role
        from permission join team_member on team_member.team_id = permission.team_id
        where ${applicable}
      ) as grants
      group by user_id
    ) as of_user)`;
}

/**
 * Everyone who can access a space, like {@link accessOf}, except for those whose account is disabled: they can do nothing.
 */
export function enabledUsersOf(
  db: Db,
  { id, organization, ancestors, effectiveDefault = null }: Presentable<Space>,
  role?: Role,
) {
  const { rows } = accessOf(db, { kind: 'space', id, organization, ancestors, effectiveDefault }, role);
  return (
    rows
      // guard: access-of-enabled-accounts
      .where('user.disabled_at', 'is', null)
  );
}

/**
 * Everyone who can access a collection, space or site, with their effective level as `permission`: the rule of
 * `effectiveLevel`, as SQL over all members at once.
 * @param role only those with this level
 */
export function accessOf(db: Db, resource: Resource, role?: Role) {
  const { organization, effectiveDefault } = resource;
  const byDefault =
    effectiveDefault === 'inherit'
      ? rank(sql`member.role`)
      : sql`case
          when member.role = 'admin' then 1
          when member.role is not null then ${rank(sql`${effectiveDefault}::text`)}
        end`;
  const byGrant = sql`(given.ranks ->> member.user_id)::int`;
  // `least` ignores nulls, and a missing array element is null.
  const level = sql<Role>`(${sql.val(ROLES)}::text[])[least(${byDefault}, ${byGrant})]`;
  const everyone = db
    .selectFrom('member')
    .crossJoin(strongestGrants(resource).as('given'))
    .where('member.organization_id', '=', organization)
    .where('member.disabled', '=', false)
    .where(role === undefined ? sql<boolean>`${level} is not null` : sql<boolean>`${level} = ${role}`);
  return {
    rows: everyone
      .innerJoin('user', 'user.id', 'member.user_id')
      .select(columnsOf(User))
      .select(['member.joined_at as joinedAt', level.as('permission')]),
    count: everyone,
  };
}
