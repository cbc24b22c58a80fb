import { type Expression, sql } from 'kysely';
import type { Db } from '../context.ts';

/** Whether a schema declares a claim, which is given by the name that conditions have for it. */
export const declares = (schema: Expression<unknown>, claim: Expression<unknown>) => sql<boolean>`(
  ${schema} -> 'properties' ? ${claim} or (
    starts_with(${claim}, 'unsigned.')
    and ${schema} -> 'properties' -> 'unsigned' -> 'properties' ? substr(${claim}, length('unsigned.') + 1)))`;

/**
 * Those of some claims, by the names that conditions have for them, that no site can know of a visitor who reads the
 * space. A site knows the claims that its adaptive schema declares; without a schema it takes all, if adaptive content is
 * on. Where no site that shows the space does either, nothing can be said yet, and none are returned.
 */
export async function findUnknownClaims(db: Db, space: string, claims: readonly string[]): Promise<string[]> {
  if (claims.length === 0) return [];
  const { rows } = await sql<{ claim: string }>`
    with knowing as (
      select adaptive_schema as schema
      from site_space join site on site.id = site_space.site_id
      where site_space.space_id = ${space} and (adaptive_content or adaptive_schema is not null)
    )
    select claim from unnest(${[...new Set(claims)]}::text[]) as claim
    where exists (select from knowing) and not exists (
      select from knowing where schema is null or ${declares(sql.ref('schema'), sql.ref('claim'))})`.execute(
    db,
  );
  return rows.map(({ claim }) => claim);
}
