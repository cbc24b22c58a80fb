import { sql } from 'kysely';
import type { Db } from '../context.ts';
import { declares } from './site-claims.query.ts';

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
  const isMeant =
    'of' in claims
      ? sql`claim = any(${claims.of}::text[])`
      : sql`claim <> all(${claims.allBut}::text[]) and not exists (
          select from site_space as elsewhere join site on site.id = elsewhere.site_id
          where elsewhere.space_id = space.id and ${declares(sql.ref('site.adaptive_schema'), sql.ref('claim'))})`;
  const { rows } = await sql<ConditionedPage & { total: string }>`
    select page, page_condition.title, space.title as space, claim, count(*) over () as total
    from site_space
    join space on space.id = site_space.space_id and space.deleted_at is null
    join page_condition on page_condition.space_id = space.id
    cross join lateral (select claim from unnest(claims) as claim where ${isMeant} limit 1) as named
    where site_space.site_id = ${site}
    order by space.id, page
    limit ${limit}`.execute(db);
  return { pages: rows.map(({ total: _, ...page }) => page), total: Number(rows[0]?.total ?? 0) };
}
