/** The paths that pages had before they were renamed or moved. */

import { MAX_PAGE_DEPTH } from './depth.ts';
import type { ObjectReader } from './objects.ts';
import { getValues } from './ordered-map.ts';
import { diffMaps } from './ordered-map-diff.ts';
import { type PageRecord, slugKey } from './records.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

/** A slug that a page no longer has, or no longer below this parent. */
export interface EarlierSlug {
  /** Null at the top level. */
  parent: string | null;
  slug: string;
  page: string;
  /** The condition that the page had. */
  condition?: string | undefined;
}

/**
 * Finds the slugs that a change takes from pages which still exist after it: one for a page that was renamed, whatever is
 * below it. For a page that was moved, also those of the pages above it, since its earlier path has to be found if they are
 * deleted later, or with the same change. Does not read what both roots share.
 */
export async function earlierSlugs(
  reader: ObjectReader,
  { before, after }: { before: string; after: string },
): Promise<EarlierSlug[]> {
  const [old, next] = await Promise.all([openSnapshot(reader, before), openSnapshot(reader, after)]);
  const changed = (await diffMaps(reader, old.root.slugs, next.root.slugs)).flatMap(({ before }) =>
    typeof before === 'string' ? before : [],
  );
  const remaining = await next.pages(changed);
  const earlier = new Map<string, EarlierSlug>();
  for (const [id, line] of await old.withAncestors(remaining.keys())) {
    const isMoved = line.at(-1)?.parent !== remaining.get(id)?.parent;
    for (const page of isMoved ? line : line.slice(-1)) earlier.set(page.id, earlierSlugOf(page));
  }
  return [...earlier.values()];
}

const earlierSlugOf = ({ id, parent, slug, condition }: PageRecord): EarlierSlug => ({
  parent,
  slug,
  page: id,
  ...(condition !== undefined && { condition }),
});

/** Maximum number of pages among which one segment of an earlier path is looked for. */
export const MAX_AT_SEGMENT = 20;

export interface EarlierPathOptions {
  /** The pages that had the slug below one of the parents, the last one first. */
  readEarlier(
    parents: readonly (string | null)[],
    slug: string,
  ): Promise<readonly Pick<EarlierSlug, 'parent' | 'page' | 'condition'>[]>;
  /** Whether a page with this condition is shown to the reader. */
  isShown(condition: string | undefined): boolean;
}

/** A page to which an earlier path may lead, and the rest of the path, which only computed pages have. */
interface PageAtPath {
  page: string;
  rest: readonly string[];
}

/**
 * Finds the pages to which a path may lead if each of its segments is the present or an earlier slug of a page, best first: below
 * the same parent, present slugs before earlier ones, and later ones before those. A path that goes through a page that the
 * reader does not see, or did not see there, leads nowhere. Whether they see the found pages is not checked. Reads one batch per
 * segment.
 */
export async function pagesAtEarlierPath(
  snapshot: Snapshot,
  segments: readonly string[],
  { readEarlier, isShown }: EarlierPathOptions,
): Promise<PageAtPath[]> {
  // Two pages may each have been above the other, so that longer and longer paths would lead to them.
  // guard: earlier-path-depth
  if (segments.length > MAX_PAGE_DEPTH) return [];
  const found: PageAtPath[] = [];
  let parents: readonly (string | null)[] = [null];
  for (const [index, slug] of segments.entries()) {
    const { root, reader } = snapshot;
    const [present, earlier] = await Promise.all([
      getValues(
        reader,
        root.slugs,
        parents.map((parent) => slugKey(parent, slug)),
      ),
      readEarlier(parents, slug),
    ]);
    const seenEarlier = earlier.filter(({ condition }) => isShown(condition));
    const ids = parents.flatMap((parent) => {
      const child = present.get(slugKey(parent, slug));
      const former = seenEarlier.flatMap((one) => (one.parent === parent ? one.page : []));
      return typeof child === 'string' ? [child, ...former] : former;
    });
    const pages = await snapshot.pages(ids);
    // A deleted page is no obstacle: others that were below it may have been moved before.
    const shown = [...new Set(ids)]
      .filter((id) => isShown(pages.get(id)?.condition))
      .slice(0, MAX_AT_SEGMENT);
    const rest = segments.slice(index + 1);
    for (const id of shown)
      if (rest.length === 0 || pages.get(id)?.type === 'computed') found.push({ page: id, rest });
    if (shown.length === 0) break;
    parents = shown;
  }
  // Each is then looked for in turn, so there must be few, however deep the path is.
  return found.sort((a, b) => a.rest.length - b.rest.length).slice(0, MAX_AT_SEGMENT);
}
