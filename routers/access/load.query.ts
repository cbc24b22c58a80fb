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
import { publishedPlace } from '../addresses/published-places.query.ts';
import { countUnder } from '../base/caller.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import { byContent, grantedTo, grantsIn } from './grants.query.ts';
import { type AccessDefault, effectiveLevel, type Grants, levelOn, type Membership } from './levels.ts';
import { reaches, ssoRequired } from './reach.ts';
import { viewableSitesOf, viewableSpacesOf } from './visible.query.ts';

export interface OrganizationAccess {
  organization: Row<Organization>;
  member: Membership;
  grants: Grants;
}

/** A space with where readers find it. */
export interface SpaceRow extends Row<Space> {
  published: PublishedPlace | null;
}

export interface SpaceAccess {
  space: SpaceRow;
  member: Membership;
  level: Role;
}

/** Where the oldest published site that a user may view shows the space of the same row, as the column `published`. */
export const publishedFor = (userId: Operand) => publishedPlace(viewableSitesOf(userId));

export interface CollectionAccess {
  collection: Row<Collection>;
  member: Membership;
  /** All the caller's grants in the organization: they also apply to the content of the collection. */
  grants: Grants;
  level: Role;
}

/** The proxy of a site, and what the check of it found. */
export type SetProxy = Pick<Row<SiteProxy>, 'origin' | 'isActive' | 'isVerified' | 'error'>;

/** A site with what is read beside it: its address, as of `SiteAddress`, among other things. */
export interface SiteRow extends Row<Site>, SiteAddress {
  /** The proxy that was set for it, whether or not it is active. */
  proxy: SetProxy | null;
  /** How many of its spaces the caller may view, without deleted ones. */
  siteSpaces: number;
  hasSections: boolean;
  /** Whether a section, or the site itself, has several spaces. */
  hasVariants: boolean;
}

export interface SiteAccess {
  site: SiteRow;
  member: Membership;
  /** All the caller's grants in the organization: they also apply to the spaces of the site. */
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
 * The caller's membership in such a row. What they may view is the row itself: leaving out what else it holds would copy it.
 * A disabled member counts as no member, and sees nothing of the organization; neither does a credential that does not
 * reach it.
 * @throws DomainError `forbidden` if the organization requires SSO
 */
const membership = (actor: Actor, row: MemberColumns, organization: string): Membership | null =>
  row.memberUser !== null &&
  !row.memberDisabled &&
  reaches(actor, { organization, ssoRequired: row.ssoRequired === true, sso: row.memberSso === true })
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
 * An organization as one caller may view it, with all their grants in it, in one statement.
 * @returns undefined where there is none or the caller is not a member.
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
  if (member) countUnder(row.id);
  return member ? { organization: row, member, grants: byContent(row.grants) } : undefined;
}

/** The roles granted to a user on one space or collection, read in the same statement. */
const grantedRoles = (userId: Operand, organization: RawBuilder<string>, content: RawBuilder<boolean>) =>
  sql<Role[] | null>`(
    select json_agg(permission.role) from permission
    where permission.organization_id = ${organization} and (${content}) and ${grantedTo(userId)})`;

/**
 * The statement that reads what decides a caller's level on a space, but for its default level; other queries select
 * that, and what they need of the space.
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

/** The space in such a row, and the caller's access to it; undefined where they may not view it. */
export function spaceAccess<
  SpaceRow extends AccessDefault & MemberColumns & { organization: string; grants: Role[] | null },
>(
  actor: Actor,
  row: SpaceRow,
): { space: Omit<SpaceRow, keyof MemberColumns | 'grants'>; member: Membership; level: Role } | undefined {
  const member = membership(actor, row, row.organization);
  if (member) countUnder(row.organization);
  const level = effectiveLevel(member, row, row.grants ?? []);
  return member && level ? { space: row, member, level } : undefined;
}

/** The same with everything that presenting the space needs. */
export const selectWholeSpaceFor = (db: Db, userId: Operand, id: Operand) =>
  selectSpaceFor(db, userId, id).select(columnsOf(Space)).select(publishedFor(userId));

const readSpace = batchedStatement(selectWholeSpaceFor);

/**
 * A space as one caller may view it, in one statement.
 * @returns undefined where there is none or the caller may not view it; deleted spaces are loaded too.
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
 * A collection as one caller may view it, in one statement.
 * @returns undefined where there is none or the caller may not view it.
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
  if (member) countUnder(row.organization);
  const grants = byContent(row.grants);
  const level = member && levelOn(member, grants, row);
  return member && level ? { collection: row, member, level, grants } : undefined;
}

/** What is read beside the columns of a site; `counted` is which of its spaces count, as a condition on `space`. */
export const siteFacts = (counted: RawBuilder<boolean>) => [
  ...addressColumns(),
  sql<SetProxy | null>`(
    select json_build_object('origin', origin, 'isActive', is_active, 'isVerified', is_verified, 'error', error)
    from site_proxy where site_proxy.site_id = site.id)`.as('proxy'),
  sql<number>`(
    select count(*)::int from site_space join space on space.id = site_space.space_id
    where site_space.site_id = site.id and space.deleted_at is null and ${counted})`.as('siteSpaces'),
  sql<boolean>`exists (select from site_section where site_section.site_id = site.id)`.as('hasSections'),
  sql<boolean>`exists (
    select from site_space where site_space.site_id = site.id group by section_id having count(*) > 1)`.as(
    'hasVariants',
  ),
];

const readSite = batchedStatement((db, userId: Operand, organization: Operand, id: Operand) =>
  db
    .selectFrom('site')
    .leftJoin('member', (join) =>
      join.onRef('member.organization_id', '=', 'site.organization_id').on('member.user_id', '=', userId),
    )
    .select(columnsOf(Site))
    .select(siteFacts(viewableSpacesOf(userId)))
    .select(memberColumns)
    .select((eb) => grantsIn(eb, userId, 'site.organization_id').as('grants'))
    .where('site.id', '=', id)
    .where('site.organization_id', '=', organization),
);

/**
 * A site of an organization as one caller may view it, in one statement.
 * @returns undefined where there is none or the caller may not view it.
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
  if (member) countUnder(row.organization);
  const grants = byContent(row.grants);
  const level = member && levelOn(member, grants, placedSite(row));
  return member && level ? { site: row, member, level, grants } : undefined;
}

/** A site as what decides levels: nothing stands above it. */
export const placedSite = ({ id, defaultLevel }: Pick<Row<Site>, 'id' | 'defaultLevel'>) => ({
  id,
  ancestors: [],
  effectiveDefault: defaultLevel,
});
