import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { schemaClaims } from './site-claims.query.ts';

/**
 * Some claims, by the names that conditions have for them, or all others. Of all others, those that the schema of another
 * site declares are left out where that site shows the space: the condition is meant for it.
 */
export type SomeClaims = { of: readonly string[] } | { allBut: readonly string[] };

/** A page with a condition, and one of the claims that it names. */
interface ConditionedPage {
  page: string;
  title: string;
  /** Title of its space. */
  space: string;
  claim: string;
}

/** The first pages of the spaces of a site whose conditions name one of some claims, and how many there are in all. */
export async function findPagesNaming(
  db: Db,
  site: string,
  claims: SomeClaims,
  limit: number,
): Promise<{ pages: ConditionedPage[]; total: number }> {
  if ('of' in claims && claims.of.length === 0) return { pages: [], total: 0 };
  const isMeant =
    'of' in claims
      ? sql`claim = any(${claims.of}::text[])`
      : sql`claim <> all(${claims.allBut}::text[] || elsewhere.claims)`;
  // Not materialized: they are counted without being sorted.
  const { rows } = await sql<ConditionedPage & { total: string }>`
    with found as not materialized (
      select space.id, space.title as space, page_condition.page, page_condition.title,
        (select claim from unnest(page_condition.claims) as claim where ${isMeant} limit 1) as claim
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
