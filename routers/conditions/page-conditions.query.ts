import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { schemaClaims } from './site-claims.query.ts';

/**
 * Some claims, or all but some, by their names in conditions. `except` also excludes the claims that are declared by the
 * schema of another site that shows the space: the condition is meant for that site.
 */
export type ClaimSelection = { only: readonly string[] } | { except: readonly string[] };

/** A page with a condition, and one of the selected claims that the condition names. */
interface PageWithCondition {
  page: string;
  title: string;
  /** The title of its space. */
  space: string;
  claim: string;
}

/** Finds the first pages in a site's spaces whose conditions name a selected claim, and counts all of them. */
export async function findPagesUsingClaims(
  db: Db,
  site: string,
  claims: ClaimSelection,
  limit: number,
): Promise<{ pages: PageWithCondition[]; total: number }> {
  if ('only' in claims && claims.only.length === 0) return { pages: [], total: 0 };
  const isSelected =
    'only' in claims
      ? sql`claim = any(${claims.only}::text[])`
      : sql`claim <> all(${claims.except}::text[] || elsewhere.claims)`;
  // Not materialized, so that they are counted without being sorted.
  // guard: page-conditions-of-site, page-conditions-deleted-spaces
  const { rows } = await sql<PageWithCondition & { total: string }>`
    with found as not materialized (
      select space.id, space.title as space, page_condition.page, page_condition.title,
        (select claim from unnest(page_condition.claims) as claim where ${isSelected} limit 1) as claim
      from site_space
      join space on space.id = site_space.space_id and space.deleted_at is null
      cross join lateral (
        select array(
          select declared.claim from site_space as other join site on site.id = other.site_id
          cross join lateral ${schemaClaims} as declared
          where other.space_id = space.id) as claims) as elsewhere
      join page_condition on page_condition.space_id = space.id
      where site_space.site_id = ${site}
    )
    select page, title, space, claim, (select count(*) from found where claim is not null) as total
    from found where claim is not null
    order by id, page
    limit ${limit}`.execute(db);
  return { pages: rows.map(({ total: _, ...page }) => page), total: Number(rows[0]?.total ?? 0) };
}
