import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../base/db.ts';

/** Maximum number of earlier paths of a section or site space; the last ones are kept. */
const MAX_EARLIER_PATHS = 20;

interface Renamed {
  id: string;
  path: string;
  earlierPaths: readonly string[];
}

/**
 * Keeps the path of a section or site space that gets another one, so that addresses with it lead to it.
 * @param siblings those among which the path is unique, on a locked site
 */
export async function keepEarlierPath(
  db: Db,
  table: 'site_section' | 'site_space',
  { id, path, earlierPaths }: Renamed,
  next: string,
  siblings: RawBuilder<unknown>,
): Promise<void> {
  if (next === path) return;
  const others = earlierPaths.filter((earlier) => earlier !== path && earlier !== next);
  await sql`
    update ${sql.table(table)} set earlier_paths = array_remove(earlier_paths, ${path})
    where ${siblings} and earlier_paths <> '{}' and ${path} = any(earlier_paths)`.execute(db);
  await db
    .updateTable(table)
    .set({ earlier_paths: [...others, path].slice(-MAX_EARLIER_PATHS) })
    .where('id', '=', id)
    .execute();
}
