import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import type { SitePaths } from './shortest-place.ts';

const readPaths = batchedStatement((db, site: Operand) =>
  db
    .selectFrom('site')
    .where('site.id', '=', site)
    .select([
      sql<string[]>`coalesce((
        select json_agg(path order by path) from site_section where site_id = site.id), '[]')`.as('sections'),
      sql<Record<string, string[]>>`coalesce((
        select json_object_agg(coalesce(section_id, ''), paths order by section_id) from (
          select section_id, json_agg(path order by path) as paths
          from site_space where site_id = site.id group by section_id) as within), '{}')`.as('siteSpaces'),
    ]),
);

/** Reads the paths of all sections and site spaces of a site, in one statement. */
export async function readSitePaths(db: Db, site: string): Promise<SitePaths> {
  const found = await readPaths(db, site);
  return { sections: found?.sections ?? [], siteSpaces: found?.siteSpaces ?? {} };
}
