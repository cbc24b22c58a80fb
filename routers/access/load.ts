import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { Collection } from '../../schema/entities/collection.ts';
import { Organization } from '../../schema/entities/organization.ts';
import { Space } from '../../schema/entities/space.ts';
import type { Role } from '../../schema/enums.ts';
import { isId } from '../../schema/ids.ts';
import { columnsOf, type Database, type Row } from '../../schema/rows.ts';
import type { Db } from '../context.ts';
import { effectiveLevel, type Membership } from './levels.ts';

/** A caller's grants in one organization: collection or space id to the strongest level given there. */
export type Grants = ReadonlyMap<string, Role[]>;

export interface OrganizationAccess {
  organization: Row<Organization>;
  member: Membership;
  grants: Grants;
}

export interface SpaceAccess {
  space: Row<Space>;
  member: Membership;
  level: Role;
}

export interface CollectionAccess {
  collection: Row<Collection>;
  member: Membership;
  level: Role;
}

/** The permissions given to a user, directly or through teams, as a condition on the table `permission`. */
export const givenTo = (userId: string) => (eb: ExpressionBuilder<Database, 'permission'>) =>
  eb.or([
    eb('permission.user_id', '=', userId),
    eb(
      'permission.team_id',
      'in',
      eb.selectFrom('team_member').select('team_member.team_id').where('team_member.user_id', '=', userId),
    ),
  ]);

interface MemberColumns {
  memberUser: string | null;
  memberRole: Role | null;
  memberDisabled: boolean | null;
}

const memberColumns = [
  'member.user_id as memberUser',
  'member.role as memberRole',
  'member.disabled as memberDisabled',
] as const;

/** A disabled member is no member: nothing of the organization is shown to them. */
const membership = (row: MemberColumns): Membership | null =>
  row.memberUser !== null && !row.memberDisabled ? { role: row.memberRole } : null;

/**
 * An organization as one caller may see it, with all their grants in it, in one statement.
 * @returns undefined where there is none or the caller is not a member.
 */
export async function loadOrganization(
  db: Db,
  userId: string,
  id: string,
): Promise<OrganizationAccess | undefined> {
  if (!isId(id)) return undefined;
  const row = await db
    .selectFrom('organization')
    .leftJoin('member', (join) =>
      join.onRef('member.organization_id', '=', 'organization.id').on('member.user_id', '=', userId),
    )
    .select(columnsOf(Organization))
    .select(memberColumns)
    .select((eb) =>
      eb
        .selectFrom('permission')
        .select(
          sql<[string, Role][]>`json_agg(json_build_array(coalesce(collection_id, space_id), role))`.as(
            'grants',
          ),
        )
        .whereRef('permission.organization_id', '=', 'organization.id')
        .where(givenTo(userId))
        .as('grants'),
    )
    .where('organization.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { memberUser, memberRole, memberDisabled, grants, ...organization } = row;
  const member = membership({ memberUser, memberRole, memberDisabled });
  if (!member) return undefined;
  const byContent = new Map<string, Role[]>();
  for (const [content, role] of grants ?? [])
    byContent.set(content, [...(byContent.get(content) ?? []), role]);
  return { organization, member, grants: byContent };
}

/** The roles granted to a user on one content, in the same statement that reads it. */
const grantedRoles = (userId: string, organization: RawBuilder<string>, content: RawBuilder<boolean>) =>
  sql<Role[] | null>`(
    select json_agg(permission.role) from permission
    where permission.organization_id = ${organization} and (${content})
      and (permission.user_id = ${userId}
        or permission.team_id in (select team_member.team_id from team_member where team_member.user_id = ${userId})))`;

/**
 * A space as one caller may see it, in one statement.
 * @returns undefined where there is none or the caller may not view it; deleted spaces are loaded like living ones.
 */
export async function loadSpace(db: Db, userId: string, id: string): Promise<SpaceAccess | undefined> {
  if (!isId(id)) return undefined;
  const row = await db
    .selectFrom('space')
    .leftJoin('member', (join) =>
      join.onRef('member.organization_id', '=', 'space.organization_id').on('member.user_id', '=', userId),
    )
    .select(columnsOf(Space))
    .select(memberColumns)
    .select(
      grantedRoles(
        userId,
        sql.ref('space.organization_id'),
        sql`permission.space_id = space.id or permission.collection_id = any(space.ancestors)`,
      ).as('grants'),
    )
    .where('space.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { memberUser, memberRole, memberDisabled, grants, ...space } = row;
  const member = membership({ memberUser, memberRole, memberDisabled });
  const level = effectiveLevel(member, space, grants ?? []);
  return member && level ? { space, member, level } : undefined;
}

/**
 * A collection as one caller may see it, in one statement.
 * @returns undefined where there is none or the caller may not view it.
 */
export async function loadCollection(
  db: Db,
  userId: string,
  id: string,
): Promise<CollectionAccess | undefined> {
  if (!isId(id)) return undefined;
  const row = await db
    .selectFrom('collection')
    .leftJoin('member', (join) =>
      join
        .onRef('member.organization_id', '=', 'collection.organization_id')
        .on('member.user_id', '=', userId),
    )
    .select(columnsOf(Collection))
    .select(memberColumns)
    .select(
      grantedRoles(
        userId,
        sql.ref('collection.organization_id'),
        sql`permission.collection_id = collection.id or permission.collection_id = any(collection.ancestors)`,
      ).as('grants'),
    )
    .where('collection.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { memberUser, memberRole, memberDisabled, grants, ...collection } = row;
  const member = membership({ memberUser, memberRole, memberDisabled });
  const level = effectiveLevel(member, collection, grants ?? []);
  return member && level ? { collection, member, level } : undefined;
}
