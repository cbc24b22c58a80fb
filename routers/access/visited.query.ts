import { type RawBuilder, sql } from 'kysely';
import { Site } from '../../schema/entities/site.ts';
import { Space } from '../../schema/entities/space.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsOf, type Prefixed, partOf } from '../../schema/rows.ts';
import type { PublishedPlace } from '../addresses/places.ts';
import { PREVIEW_KEY } from '../addresses/published.ts';
import type { Db } from '../base/db.ts';
import type { Visitor } from '../base/principal.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import { statement } from '../sql/statement.ts';
import { derivedSiteColumns, type SiteRow, type SpaceRow } from './load.query.ts';
import { type Admission, admits, conditionsFor } from './passes.ts';
import { placeOnSite, publishedPlace } from './published-places.query.ts';
import { sectionCondition, siteSpaceCondition } from './visibility-conditions.query.ts';

/** A space or site that a visitor may read, with its conditions as evaluated for them. */
export interface Visited<Of> {
  of: Of;
  conditions: ConditionEvaluator;
}

/** Whether a share link is an active link of the row's site. */
// guard: visited-link-of-site, visited-link-deactivated
const isActiveLink = (link: Operand): RawBuilder<boolean> => sql<boolean>`exists (
  select from share_link where share_link.id = ${link} and share_link.site_id = site.id and share_link.active)`;

/** The visitor's share link as a parameter; empty if they have none, since no id is empty. */
export const linkOf = ({ pass }: Pick<Visitor, 'pass'>): string => pass.link ?? '';

/** The columns of a site that decide who may visit it, see `Admission`. */
const admission = (link: Operand) =>
  [
    sql.ref<Admission['published']>('site.published').as('admission.published'),
    sql.ref<Admission['visibility']>('site.visibility').as('admission.visibility'),
    sql.ref<Admission['authKey']>('site.auth_key').as('admission.authKey'),
    sql.ref<Admission['adaptiveContent']>('site.adaptive_content').as('admission.adaptiveContent'),
    isActiveLink(link).as('admission.isLinkActive'),
  ] as const;

/** The conditions under which a site shows a space. */
interface ConditionColumns {
  condition: string | null;
  sectionCondition: string | null;
}

type VisitColumns = Prefixed<Admission, 'admission'> & ConditionColumns;

/** Selects the spaces of a site with everything that decides whether a visitor may read them. */
const selectVisitedSpaces = (db: Db, site: Operand, link: Operand) =>
  db
    .selectFrom('site')
    .innerJoin('site_space', 'site_space.site_id', 'site.id')
    .innerJoin('space', (join) =>
      join
        .onRef('space.id', '=', 'site_space.space_id')
        .onRef('space.organization_id', '=', 'site.organization_id'),
    )
    .leftJoin('site_section', 'site_section.id', 'site_space.section_id')
    .select(columnsOf(Space))
    .select(admission(link))
    .select([siteSpaceCondition.as('condition'), sectionCondition().as('sectionCondition')])
    .where('site.id', '=', site)
    // guard: visited-deleted-spaces
    .where('space.deleted_at', 'is', null);

/** The same for one space; other queries extend it. */
export const selectVisitedSpace = (db: Db, site: Operand, link: Operand, id: Operand) =>
  selectVisitedSpaces(db, site, link).where('space.id', '=', id);

/** The space of such a row with its conditions for the visitor; undefined if they may not read it. */
export function visitedSpace<SpaceRow extends object>(
  row: SpaceRow & VisitColumns,
  visitor: Visitor,
): Visited<Omit<SpaceRow, keyof VisitColumns>> | undefined {
  const site = partOf<Admission, 'admission'>(row, 'admission');
  if (!site || !admits(site, visitor.pass)) return undefined;
  const conditions = conditionsFor(site, visitor);
  const { condition, sectionCondition } = row;
  // guard: site-space-condition, section-condition
  return conditions.isShown([condition, sectionCondition]) ? { of: row, conditions } : undefined;
}

const readSpace = batchedStatement((db, site: Operand, link: Operand, id: Operand) =>
  selectVisitedSpace(db, site, link, id).select(publishedPlace(sql`site.id = ${site}`)),
);

/**
 * Loads a space that a site shows to a visitor, in one statement.
 * @returns undefined if it does not exist or the visitor may not read it
 */
export async function loadVisitedSpace(
  db: Db,
  visitor: Visitor,
  id: string,
): Promise<Visited<SpaceRow> | undefined> {
  if (!isId(id)) return undefined;
  const row = await readSpace(db, visitor.site, linkOf(visitor), id);
  return row && visitedSpace(row, visitor);
}

const readSpaces = statement((db, site: string, link: string) =>
  selectVisitedSpaces(db, site, link)
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .select('revision.root')
    .select(placeOnSite(sql`${site}`))
    .select(
      sql<string | null>`case when site.visibility = 'share-link' then coalesce(
        (select key from share_link where share_link.id = ${link} and share_link.site_id = site.id), ${PREVIEW_KEY})
      end`.as('shareKey'),
    ),
);

/**
 * A space that a site shows, with the root of its content, its place on the site (in a preview also before the site is
 * published) and the share key that its address needs.
 */
type VisitedSpace = Omit<SpaceRow, 'published'> & {
  root: string;
  place: PublishedPlace | null;
  shareKey: string | null;
};

/** Loads all spaces that a site shows to a visitor, in one statement; none if they may not visit it. */
export async function loadVisitedSpaces(db: Db, visitor: Visitor): Promise<Visited<VisitedSpace>[]> {
  const rows = await readSpaces(db, visitor.site, linkOf(visitor));
  return rows.flatMap((row) => visitedSpace(row, visitor) ?? []);
}

const readSite = batchedStatement((db, organization: Operand, id: Operand, link: Operand) =>
  db
    .selectFrom('site')
    .select(columnsOf(Site))
    .select(derivedSiteColumns(sql<boolean>`true`))
    .select(isActiveLink(link).as('isLinkActive'))
    .where('site.id', '=', id)
    .where('site.organization_id', '=', organization),
);

/**
 * Loads the visitor's site, in one statement.
 * @returns undefined for any other site, and if the visitor may no longer visit it
 */
export async function loadVisitedSite(
  db: Db,
  visitor: Visitor,
  organization: string,
  id: string,
): Promise<Visited<SiteRow> | undefined> {
  // guard: visited-site-of-token
  if (id !== visitor.site || !isId(organization)) return undefined;
  const row = await readSite(db, organization, id, linkOf(visitor));
  if (!row || !admits(row, visitor.pass)) return undefined;
  const { isLinkActive: _, ...site } = row;
  return { of: site, conditions: conditionsFor(site, visitor) };
}

const readLink = batchedStatement((db, site: Operand, key: Operand) =>
  db
    .selectFrom('share_link')
    .select('share_link.id')
    .where('share_link.key', '=', key)
    // guard: reached-link-of-site
    .where('share_link.site_id', '=', site)
    // guard: reached-link-active
    .where('share_link.active', '=', true),
);

/** Finds the active share link of a site with this key, and returns its id. */
export const findShareLink = async (db: Db, site: string, key: string): Promise<string | undefined> =>
  (await readLink(db, site, key))?.id;
