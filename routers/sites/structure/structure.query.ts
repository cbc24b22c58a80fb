import { type RawBuilder, sql } from 'kysely';
import type { SiteSection } from '../../../schema/entities/site-section.ts';
import { SiteSpace } from '../../../schema/entities/site-space.ts';
import { Space } from '../../../schema/entities/space.ts';
import { columnsOf, columnsUnder, type Prefixed, partOf, type Row } from '../../../schema/rows.ts';
import { publishedPlaceFor } from '../../access/load.query.ts';
import type { PublishedPlace } from '../../addresses/places.ts';
import type { Db } from '../../base/db.ts';
import { notFound } from '../../engine/errors.ts';
import { statement } from '../../sql/statement.ts';
import type { SectionItem } from './structure.ts';

/** A section or a section group; fields that groups do not have are null. */
export interface SectionRow extends SectionItem {
  title: string;
  description: string | null;
  icon: string | null;
  path: string | null;
  earlierPaths: string[];
}

/** A site space with its space, which is not deleted. */
export interface SiteSpaceRow extends Row<SiteSpace> {
  content: Row<Space>;
  /** The place where the user for whom it was read can read the space on a published site. */
  published: PublishedPlace | null;
}

const readSectionRows = statement((db, site: string) =>
  db
    .selectFrom('site_section')
    .select([
      sql<SectionItem['type']>`'site-section'`.as('type'),
      'id',
      'group_id as parent',
      'title',
      'description',
      'icon',
      'path',
      'earlier_paths as earlierPaths',
      'condition',
      'is_default as isDefault',
      'draft',
      'position',
    ])
    .where('site_id', '=', site)
    .unionAll(
      db
        .selectFrom('site_section_group')
        .select([
          sql<SectionItem['type']>`'site-section-group'`.as('type'),
          'id',
          'parent_id as parent',
          'title',
          sql<string | null>`null`.as('description'),
          'icon',
          sql<string>`null`.as('path'),
          sql<string[]>`'{}'::text[]`.as('earlierPaths'),
          sql<string | null>`null`.as('condition'),
          sql<boolean>`false`.as('isDefault'),
          'draft',
          'position',
        ])
        .where('site_id', '=', site),
    ),
);

/** All sections and groups of a site, in one statement. */
export const readSections = (db: Db, site: string): Promise<SectionRow[]> => readSectionRows(db, site);

const selectSpaceRows = (db: Db, site: string) =>
  db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .select(columnsOf(SiteSpace))
    .select(columnsUnder('content', Space))
    .where('site_space.site_id', '=', site)
    .where('space.deleted_at', 'is', null);

const readSpaceRows = statement(selectSpaceRows);
const readSpaceRowsFor = statement((db, site: string, user: string) =>
  selectSpaceRows(db, site).select(publishedPlaceFor(user)),
);

/**
 * All site spaces of a site whose spaces are not deleted, in one statement.
 * @param user the user for whom `published` is read; without one, it is null
 */
export async function readSiteSpaces(db: Db, site: string, user?: string): Promise<SiteSpaceRow[]> {
  const rows =
    user === undefined
      ? (await readSpaceRows(db, site)).map((row) => ({ ...row, published: null }))
      : await readSpaceRowsFor(db, site, user);
  return rows.map((row) => {
    const content = partOf<Row<Space>, 'content'>(row as Prefixed<Row<Space>, 'content'>, 'content');
    return { ...row, content: content as Row<Space> };
  });
}

/** A section; @throws DomainError `not-found` for one of another site */
export async function requireSection(
  db: Db,
  site: string,
  id: string,
): Promise<Pick<Row<SiteSection>, 'id' | 'path' | 'earlierPaths'>> {
  const section = await db
    .selectFrom('site_section')
    .select(['id', 'path', 'earlier_paths as earlierPaths'])
    .where('id', '=', id)
    .where('site_id', '=', site)
    .executeTakeFirst();
  if (!section) throw notFound('section');
  return section;
}

const inParent = (column: RawBuilder<unknown>, parent: string | null) =>
  parent === null ? sql`${column} is null` : sql`${column} = ${parent}`;

/** The sections and groups in a group of a site, or at its root. */
export const sectionSiblings = (site: string, group: string | null) => ({
  site_section: sql`site_id = ${site} and ${inParent(sql`group_id`, group)}`,
  site_section_group: sql`site_id = ${site} and ${inParent(sql`parent_id`, group)}`,
});

/** The site spaces in a section, or of a site without sections. */
export const siteSpaceSiblings = (site: string, section: string | null) => ({
  site_space: sql`site_id = ${site} and ${inParent(sql`section_id`, section)}`,
});
