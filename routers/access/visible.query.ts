import { type RawBuilder, sql } from 'kysely';
import type { Role } from '../../schema/enums.ts';
import type { Operand } from '../sql/batched-statement.ts';
import { grantedTo } from './grants.query.ts';
import type { Membership } from './levels.ts';

/**
 * A condition for the spaces, collections or sites that the caller may view: the rule of `levelOn` in SQL. `granted` has the
 * ids of everything on which the caller has a grant.
 */
export function viewable(
  table: 'space' | 'collection' | 'site',
  member: Membership,
  granted: string[],
): RawBuilder<boolean> {
  if (member.role === 'admin') return sql<boolean>`true`;
  // As a table, which is hashed once: searching an array for each row would cost more with each further grant.
  const contents = sql`(select unnest(${granted}::text[]))`;
  const itself = sql`${sql.ref(`${table}.id`)} in ${contents}`;
  if (table === 'site') return byDefaultOr(member, 'site.default_level', itself);
  const ancestors = sql.ref(`${table}.ancestors`);
  const byGrant = sql`${itself} or (${ancestors} <> '{}' and exists (
    select from unnest(${ancestors}) as above (id) where above.id in ${contents}))`;
  return byDefaultOr(member, `${table}.effective_default`, byGrant);
}

/**
 * The same for spaces in a statement that joins `member` and has not loaded the grants; `user` is that member's user as a
 * parameter, for looking the grants up.
 */
export const viewableSpacesOf = (user: Operand) => sql<boolean>`(
  member.role = 'admin' or (member.role is not null and space.effective_default is not null) or exists (
    select from permission
    where permission.organization_id = member.organization_id
      and (permission.space_id = space.id or permission.collection_id = any(space.ancestors)) and ${grantedTo(user)}))`;

/** The same for sites, in a statement that does not join `member`. */
export const viewableSitesOf = (user: Operand) => sql<boolean>`exists (
  select from member
  where member.organization_id = site.organization_id and member.user_id = ${user} and not member.disabled
    and (member.role = 'admin' or (member.role is not null and site.default_level is not null) or exists (
      select from permission
      where permission.organization_id = site.organization_id and permission.site_id = site.id
        and ${grantedTo(user)})))`;

/** Whose view of an organization a count is for; for a viewer whose role is not loaded yet, it is undefined. */
export interface CountViewer {
  userId: string;
  role?: Role | null;
}

/**
 * A condition for the spaces of an organization that count for a viewer. The subquery does not depend on the row, so that the
 * database evaluates it once.
 */
export const isCountedSpace = ({ userId, role }: CountViewer, organization: string): RawBuilder<boolean> =>
  // guard: counted-spaces
  role === 'admin'
    ? sql<boolean>`true`
    : sql<boolean>`space.id in (
        select space.id from member join space on space.organization_id = member.organization_id
        where member.organization_id = ${organization} and member.user_id = ${userId} and not member.disabled
          and ${viewableSpacesOf(userId)})`;

/** The same for its sites. */
export const isCountedSite = ({ userId, role }: CountViewer, organization: string): RawBuilder<boolean> =>
  // guard: counted-sites
  role === 'admin'
    ? sql<boolean>`true`
    : sql<boolean>`site.id in (
        select site.id from site where site.organization_id = ${organization} and ${viewableSitesOf(userId)})`;

/** Guests do not get the default level. */
const byDefaultOr = (member: Membership, defaultLevel: string, byGrant: RawBuilder<unknown>) =>
  member.role === null
    ? sql<boolean>`(${byGrant})`
    : sql<boolean>`(${sql.ref(defaultLevel)} is not null or ${byGrant})`;
