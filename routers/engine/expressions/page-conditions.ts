/** The claims that the conditions of pages read. */

import type { ObjectReader } from '../store/objects.ts';
import { diffMaps } from '../store/ordered-map-diff.ts';
import { asPage, EMPTY_ROOT, type PageRecord, readRoot } from '../store/records.ts';
import { claimsIn } from './conditions.ts';

/** A page with a condition that reads claims. */
export interface PageCondition {
  /** Id of the page. */
  page: string;
  title: string;
  /** See {@link claimsIn}. */
  claims: string[];
}

export interface PageConditionChanges {
  set: PageCondition[];
  /** Ids of pages that were deleted, or whose condition no longer reads claims. */
  unset: string[];
}

/**
 * Compares the conditions of pages in two roots; without `before`, in empty content and a root. Does not read what both
 * share.
 */
export async function pageConditionChanges(
  reader: ObjectReader,
  { before, after }: { before: string | undefined; after: string },
): Promise<PageConditionChanges> {
  const [old, next] = await Promise.all([
    before === undefined ? EMPTY_ROOT : readRoot(reader, before),
    readRoot(reader, after),
  ]);
  const changes: PageConditionChanges = { set: [], unset: [] };
  for (const difference of await diffMaps(reader, old.pages, next.pages)) {
    const [was, is] = [asPage(difference.before), asPage(difference.after)];
    if (was?.condition === is?.condition && was?.title === is?.title) continue;
    const claims = claimsOf(is);
    if (is && claims.length > 0) changes.set.push({ page: is.id, title: is.title, claims });
    else if (claimsOf(was).length > 0) changes.unset.push(difference.key);
  }
  return changes;
}

const claimsOf = (page: PageRecord | undefined): string[] =>
  page?.condition === undefined ? [] : claimsIn(page.condition);
