import type { Db } from '../base/db.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { MAX_AT_SEGMENT, pagesAtEarlierPath } from '../engine/store/earlier-slugs.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { PageReader } from '../engine/templates/computed-pages.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { statement } from '../sql/statement.ts';

const readEarlierSlugs = statement((db, space: string, parents: string[], slug: string) =>
  db
    .selectFrom('earlier_slug')
    .select(['parent', 'page', 'condition'])
    .where('space_id', '=', space)
    .where('parent', '=', sqlAny(parents))
    .where('slug', '=', slug)
    .orderBy('changed_at', 'desc')
    .orderBy('page', 'desc')
    .limit(MAX_AT_SEGMENT),
);

/** The content that a visitor of a site reads. */
interface VisitedContent {
  db: Db;
  space: { id: string };
  snapshot: Snapshot;
  conditions: ConditionEvaluator;
}

/**
 * Finds the page that had a path before it, or pages above it, were renamed or moved; the last one that had it, if there are
 * several. Only a page that the visitor can see, and that is not hidden: its present path must not become known by an
 * earlier one. Call it if no page has the path.
 * @param pages the pages that the visitor can see
 */
export async function findPageAtEarlierPath(
  { db, space, snapshot, conditions }: VisitedContent,
  pages: PageReader,
  segments: readonly string[],
): Promise<PageRecord | undefined> {
  const candidates = await pagesAtEarlierPath(snapshot, segments, {
    async readEarlier(parents, slug) {
      const top = parents.map((parent) => parent ?? '');
      const rows = await readEarlierSlugs(db, space.id, top, slug);
      return rows.map(({ parent, page, condition }) => ({
        parent: parent === '' ? null : parent,
        page,
        condition: condition ?? undefined,
      }));
    },
    // guard: earlier-path-conditions
    isShown: (condition) => conditions.isShown([condition]),
  });
  if (candidates.length === 0) return undefined;
  const lines = await snapshot.withAncestors(candidates.map(({ page }) => page));
  for (const { page, rest } of candidates) {
    const line = lines.get(page);
    // Deleted pages have no path any more, and neither do links.
    if (!line || line.some(({ slug }) => slug === '')) continue;
    // guard: earlier-path-conditions-above
    if (!conditions.isShown(line.map(({ condition }) => condition))) continue;
    // Only a page that a computed one generates has to be looked for.
    const found =
      rest.length === 0 ? line.at(-1) : await pages.pageByPath([...line.map(({ slug }) => slug), ...rest]);
    // guard: earlier-path-hidden
    if (found && ![...line, found].some(({ hidden }) => hidden)) return found;
  }
  return undefined;
}
