import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

/** The claims that the schema of a `site` declares, one per row, by their names in conditions. */
export const schemaClaims = sql<{ claim: string }>`(
  select jsonb_object_keys(site.adaptive_schema -> 'properties') as claim
  union all
  select 'unsigned.' || jsonb_object_keys(site.adaptive_schema -> 'properties' -> 'unsigned' -> 'properties'))`;

/**
 * Finds those of some claims, by their names in conditions, that no site showing the space accepts. A site accepts the
 * claims that its adaptive schema declares; without a schema it accepts any, if adaptive content is on. If no site that
 * shows the space has either, returns none, since nothing is known yet.
 */
export async function findUnknownClaims(db: Db, space: string, claims: readonly string[]): Promise<string[]> {
  if (claims.length === 0) return [];
  // guard: claims-of-adaptive-site
  const { rows } = await sql<{ claim: string }>`
    with site as (
      select adaptive_schema from site_space join site on site.id = site_space.site_id
      where site_space.space_id = ${space} and (adaptive_content or adaptive_schema is not null)
    )
    select claim from unnest(${[...new Set(claims)]}::text[]) as claim
    where exists (select from site) and not exists (select from site where adaptive_schema is null)
      and claim not in (select declared.claim from site cross join lateral ${schemaClaims} as declared)`.execute(
    db,
  );
  return rows.map(({ claim }) => claim);
}
