import type { Json } from './canonical.ts';
import type { ObjectBuffer } from './objects.ts';
import { updateMap } from './ordered-map-update.ts';
import { type PageRecord, type Root, slugKey, type TreeEntry, treeKey } from './records.ts';

/** A page before and after a change; undefined if it does not exist. */
export type PageChange = { readonly before: PageRecord | undefined; readonly after: PageRecord | undefined };

/**
 * Applies changes of pages to the three page maps of a root. Nothing else writes `tree` and `slugs`, so they are always
 * derived from `pages`. Slugs must be unique among siblings after the change.
 */
export async function writePages(
  buffer: ObjectBuffer,
  root: Root,
  changes: Iterable<PageChange>,
): Promise<Root> {
  const pages = new Map<string, Json | undefined>();
  const tree = new Map<string, Json | undefined>();
  const slugs = new Map<string, Json | undefined>();
  const all = [...changes];
  for (const { before } of all) {
    if (before === undefined) continue;
    pages.set(before.id, undefined);
    tree.set(treeKey(before), undefined);
    if (before.slug !== '') slugs.set(slugKey(before.parent, before.slug), undefined);
  }
  // After all deletions, so that a page can get the position or slug that another one had.
  for (const { after } of all) {
    if (after === undefined) continue;
    pages.set(after.id, after);
    tree.set(treeKey(after), { id: after.id, slug: after.slug, type: after.type } satisfies TreeEntry);
    if (after.slug !== '') slugs.set(slugKey(after.parent, after.slug), after.id);
  }
  return {
    ...root,
    pages: await updateMap(buffer, root.pages, pages),
    tree: await updateMap(buffer, root.tree, tree),
    slugs: await updateMap(buffer, root.slugs, slugs),
  };
}
