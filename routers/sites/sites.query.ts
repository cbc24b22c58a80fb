import { sql } from 'kysely';
import { Site } from '../../schema/entities/site.ts';
import type { SITE_TYPES } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Grants, Membership } from '../access/levels.ts';
import { derivedSiteColumns, type SiteRow } from '../access/load.query.ts';
import { sectionCondition, siteSpaceCondition } from '../access/visibility-conditions.query.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { sqlAny } from '../sql/sql-any.ts';

export interface SiteFilter {
  space?: string | undefined;
  title?: string | undefined;
  published?: boolean | undefined;
  type?: (typeof SITE_TYPES)[number][] | undefined;
}

/** The sites of an organization that a member may view; the filter by space only finds spaces that they may view too. */
export function sitesVisibleTo(
  db: Db,
  { organization, member, grants }: { organization: string; member: Membership; grants: Grants },
  { space, title, published, type }: SiteFilter,
) {
  const granted = [...grants.keys()];
  let sites = db
    .selectFrom('site')
    .where('site.organization_id', '=', organization)
    .where(viewable('site', member, granted));
  if (title !== undefined) sites = sites.where(sql<boolean>`strpos(lower(site.title), lower(${title})) > 0`);
  if (published !== undefined) sites = sites.where('site.published', '=', published);
  if (type !== undefined) sites = sites.where(sql<boolean>`site.type = ${sqlAny(type)}`);
  if (space !== undefined)
    sites = sites.where((eb) =>
      eb.exists(
        eb
          .selectFrom('site_space')
          .innerJoin('space', 'space.id', 'site_space.space_id')
          .whereRef('site_space.site_id', '=', 'site.id')
          .where('site_space.space_id', '=', space)
          .where('space.deleted_at', 'is', null)
          .where(viewable('space', member, granted)),
      ),
    );
  return sites.select(columnsOf(Site)).select(derivedSiteColumns(viewable('space', member, granted)));
}

/** The number of spaces of a site that a visitor may see. */
export async function countVisibleSpaces(
  db: Db,
  site: string,
  conditions: ConditionEvaluator,
): Promise<number> {
  const siteSpaces = await db
    .selectFrom('site_space')
    .innerJoin('space', 'space.id', 'site_space.space_id')
    .leftJoin('site_section', 'site_section.id', 'site_space.section_id')
    .select([siteSpaceCondition.as('condition'), sectionCondition().as('sectionCondition')])
    .where('site_space.site_id', '=', site)
    .where('space.deleted_at', 'is', null)
    .execute();
  // guard: shown-site-space-count
  return siteSpaces.filter((one) => conditions.isShown([one.condition, one.sectionCondition])).length;
}

/** An existing site, with the derived columns for a member. */
export const readSite = (
  db: Db,
  { id, member, grants }: { id: string; member: Membership; grants: Grants },
): Promise<SiteRow> =>
  db
    .selectFrom('site')
    .select(columnsOf(Site))
    .select(derivedSiteColumns(viewable('space', member, [...grants.keys()])))
    .where('site.id', '=', id)
    .executeTakeFirstOrThrow();
