import { type RawBuilder, sql } from 'kysely';
import { Collection } from '../../schema/entities/collection.ts';
import { Organization } from '../../schema/entities/organization.ts';
import { Site } from '../../schema/entities/site.ts';
import type { SiteProxy } from '../../schema/entities/site-proxy.ts';
import { Space } from '../../schema/entities/space.ts';
import type { Role } from '../../schema/enums.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { addressColumns } from '../addresses/address-columns.query.ts';
import type { PublishedPlace } from '../addresses/places.ts';
import type { SiteAddress } from '../addresses/published.ts';
import { attributeTo } from '../base/caller.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import { credentialCovers, ssoRequired } from './credential-coverage.ts';
import { grantedTo, grantsByContent, grantsIn } from './grants.query.ts';
import { type AccessDefault, effectiveLevel, type Grants, levelOn, type Membership } from './levels.ts';
import { publishedPlace } from './published-places.query.ts';
import { viewableSitesOf, viewableSpacesOf } from './visible.query.ts';

export interface OrganizationAccess {
  organization: Row<Organization>;
  member: Membership;
  grants: Grants;
}

/** A space with the place where it is published. */
export interface SpaceRow extends Row<Space> {
  published: PublishedPlace | null;
}

export interface SpaceAccess {
  space: SpaceRow;
  member: Membership;
  level: Role;
}

/** The column `published`: where the row's space is shown on the oldest published site that the user may view. */
// guard: place-on-visible-site
export const publishedPlaceFor = (userId: Operand) => publishedPlace(viewableSitesOf(userId));

export interface CollectionAccess {
  collection: Row<Collection>;
  member: Membership;
  /** All of the caller's grants in the organization; they also decide about the collection's content. */
  grants: Grants;
  level: Role;
}

/** A site's proxy with the result of its last check. */
export type ProxyStatus = Pick<Row<SiteProxy>, 'origin' | 'isActive' | 'isVerified' | 'error'>;

/** A site with its address and other values that are read with it. */
export interface SiteRow extends Row<Site>, SiteAddress {
  /** Its configured proxy, active or not. */
  proxy: ProxyStatus | null;
  /** How many of its spaces the caller may view; deleted ones are not counted. */
  siteSpaces: number;
  hasSections: boolean;
  /** Whether a section, or the site itself, has several spaces that are not deleted. */
  hasVariants: boolean;
}

export interface SiteAccess {
  site: SiteRow;
  member: Membership;
  /** All of the caller's grants in the organization; they also decide about the site's spaces. */
  grants: Grants;
  level: Role;
}

interface MemberColumns {
  memberUser: string | null;
  memberRole: Role | null;
  memberDisabled: boolean | null;
  memberSso: boolean | null;
  ssoRequired: boolean | null;
}

const memberColumns = [
  'member.user_id as memberUser',
  'member.role as memberRole',
  'member.disabled as memberDisabled',
  'member.sso as memberSso',
  ssoRequired().as('ssoRequired'),
] as const;

/**
 * The caller's membership, from a row with {@link memberColumns}. Null for a disabled member and for a credential that does not
 * cover the organization: both are treated as if the user were not a member. (Callers return the row as it is, with the
 * member columns: removing them would copy it.)
 * @throws DomainError `forbidden` if the organization requires SSO
 */
const membership = (actor: Actor, row: MemberColumns, organization: string): Membership | null =>
  // guard: organization-members, disabled-members
  row.memberUser !== null &&
  !row.memberDisabled &&
  credentialCovers(actor, {
    organization,
    ssoRequired: row.ssoRequired === true,
    sso: row.memberSso === true,
  })
    ? { role: row.memberRole }
    : null;

const readOrganization = batchedStatement((db, userId: Operand, id: Operand) =>
  db
    .selectFrom('organization')
    .leftJoin('member', (join) =>
      join.onRef('member.organization_id', '=', 'organization.id').on('member.user_id', '=', userId),
    )
    .select(columnsOf(Organization))
    .select(memberColumns)
    .select((eb) => grantsIn(eb, userId, 'organization.id').as('grants'))
    .where('organization.id', '=', id),
);

/**
 * Loads an organization with the caller's membership and grants, in one statement.
 * @returns undefined if it does not exist or the caller is not a member
 */
export async function loadOrganization(
  db: Db,
  actor: Actor,
  id: string,
): Promise<OrganizationAccess | undefined> {
  if (!isId(id)) return undefined;
  const row = await readOrganization(db, actor.user.id, id);
  if (!row) return undefined;
  const member = membership(actor, row, row.id);
  if (member) attributeTo(row.id);
  return member ? { organization: row, member, grants: grantsByContent(row.grants) } : undefined;
}

/** A subquery for the roles granted to a user on a space or collection. */
const grantedRoles = (userId: Operand, organization: RawBuilder<string>, content: RawBuilder<boolean>) =>
  sql<Role[] | null>`(
    select json_agg(permission.role) from permission
    where permission.organization_id = ${organization} and (${content}) and ${grantedTo(userId)})`;

/**
 * Selects what decides a caller's level on a space, except for its default level: other queries add that, and the columns
 * of the space that they need.
 */
export const selectSpaceFor = (db: Db, userId: Operand, id: Operand) =>
  db
    .selectFrom('space')
    .leftJoin('member', (join) =>
      join.onRef('member.organization_id', '=', 'space.organization_id').on('member.user_id', '=', userId),
    )
    .select(memberColumns)
    .select(
      grantedRoles(
        userId,
        sql.ref('space.organization_id'),
        sql`permission.space_id = space.id or permission.collection_id = any(space.ancestors)`,
      ).as('grants'),
    )
    .where('space.id', '=', id);

/** The space of such a row with the caller's access to it; undefined if they may not view it. */
export function spaceAccess<
  SpaceRow extends AccessDefault & MemberColumns & { organization: string; grants: Role[] | null },
>(
  actor: Actor,
  row: SpaceRow,
): { space: Omit<SpaceRow, keyof MemberColumns | 'grants'>; member: Membership; level: Role } | undefined {
  const member = membership(actor, row, row.organization);
  // guard: reader-organization
  if (member) attributeTo(row.organization);
  const level = effectiveLevel(member, row, row.grants ?? []);
  return member && level ? { space: row, member, level } : undefined;
}

/** The same with everything that is needed to present the space. */
export const selectFullSpaceFor = (db: Db, userId: Operand, id: Operand) =>
  selectSpaceFor(db, userId, id).select(columnsOf(Space)).select(publishedPlaceFor(userId));

const readSpace = batchedStatement(selectFullSpaceFor);

/**
 * Loads a space with the caller's access, in one statement. Deleted spaces are loaded too.
 * @returns undefined if it does not exist or the caller may not view it
 */
export async function loadSpace(db: Db, actor: Actor, id: string): Promise<SpaceAccess | undefined> {
  if (!isId(id)) return undefined;
  const row = await readSpace(db, actor.user.id, id);
  return row && spaceAccess(actor, row);
}

const readCollection = batchedStatement((db, userId: Operand, id: Operand) =>
  db
    .selectFrom('collection')
    .leftJoin('member', (join) =>
      join
        .onRef('member.organization_id', '=', 'collection.organization_id')
        .on('member.user_id', '=', userId),
    )
    .select(columnsOf(Collection))
    .select(memberColumns)
    .select((eb) => grantsIn(eb, userId, 'collection.organization_id').as('grants'))
    .where('collection.id', '=', id),
);

/**
 * Loads a collection with the caller's access, in one statement.
 * @returns undefined if it does not exist or the caller may not view it
 */
export async function loadCollection(
  db: Db,
  actor: Actor,
  id: string,
): Promise<CollectionAccess | undefined> {
  if (!isId(id)) return undefined;
  const row = await readCollection(db, actor.user.id, id);
  if (!row) return undefined;
  const member = membership(actor, row, row.organization);
  if (member) attributeTo(row.organization);
  const grants = grantsByContent(row.grants);
  const level = member && levelOn(member, grants, row);
  return member && level ? { collection: row, member, level, grants } : undefined;
}

/** The columns of a {@link SiteRow} besides those of `site`; `counted` is a condition on `space` for the spaces to count. */
export const derivedSiteColumns = (counted: RawBuilder<boolean>) => [
  ...addressColumns(),
  sql<ProxyStatus | null>`(
    select json_build_object('origin', origin, 'isActive', is_active, 'isVerified', is_verified, 'error', error)
    from site_proxy where site_proxy.site_id = site.id)`.as('proxy'),
  sql<number>`(
    select count(*)::int from site_space join space on space.id = site_space.space_id
    where site_space.site_id = site.id and space.deleted_at is null and ${counted})`.as('siteSpaces'),
  sql<boolean>`exists (select from site_section where site_section.site_id = site.id)`.as('hasSections'),
  sql<boolean>`exists (
    select from site_space join space on space.id = site_space.space_id
    where site_space.site_id = site.id and space.deleted_at is null
    group by section_id having count(*) > 1)`.as('hasVariants'),
];

const readSite = batchedStatement((db, userId: Operand, organization: Operand, id: Operand) =>
  db
    .selectFrom('site')
    .leftJoin('member', (join) =>
      join.onRef('member.organization_id', '=', 'site.organization_id').on('member.user_id', '=', userId),
    )
    .select(columnsOf(Site))
    // guard: site-space-count
    .select(derivedSiteColumns(viewableSpacesOf(userId)))
    .select(memberColumns)
    .select((eb) => grantsIn(eb, userId, 'site.organization_id').as('grants'))
    .where('site.id', '=', id)
    .where('site.organization_id', '=', organization),
);

/**
 * Loads a site of an organization with the caller's access, in one statement.
 * @returns undefined if it does not exist or the caller may not view it
 */
export async function loadSite(
  db: Db,
  actor: Actor,
  organization: string,
  id: string,
): Promise<SiteAccess | undefined> {
  if (!isId(organization) || !isId(id)) return undefined;
  const row = await readSite(db, actor.user.id, organization, id);
  if (!row) return undefined;
  const member = membership(actor, row, row.organization);
  if (member) attributeTo(row.organization);
  const grants = grantsByContent(row.grants);
  const level = member && levelOn(member, grants, siteAncestry(row));
  return member && level ? { site: row, member, level, grants } : undefined;
}

/** The ancestry of a site, which is in no collection. */
export const siteAncestry = ({ id, defaultLevel }: Pick<Row<Site>, 'id' | 'defaultLevel'>) => ({
  id,
  ancestors: [],
  effectiveDefault: defaultLevel,
});
