/** Which pages of a space are visible to visitors of a site. */

import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { PageNode, Snapshot } from '../engine/store/snapshot.ts';
import type { PageReader } from '../engine/templates/computed-pages.ts';

/** The pages that a visitor may see: none whose condition does not hold, and nothing below such a page. */
export const accessiblePages = (conditions: ConditionEvaluator, nodes: readonly PageNode[]): PageNode[] =>
  nodes
    .filter(({ page }) => conditions.isShown([page.condition]))
    .map((node) => ({ ...node, pages: accessiblePages(conditions, node.pages) }));

/** Those of them that are not hidden. */
const listedPages = (conditions: ConditionEvaluator, nodes: readonly PageNode[]): PageNode[] =>
  nodes
    // guard: listed-hidden-pages, listed-page-conditions
    .filter(({ page }) => !page.hidden && conditions.isShown([page.condition]))
    .map((node) => ({ ...node, pages: listedPages(conditions, node.pages) }));

/**
 * The pages of a snapshot for a visitor. Lists leave out hidden pages, which are found by their id or path, unless
 * `listsHidden` is true; the landing page is the first document that is not hidden.
 */
export function visiblePages(
  snapshot: Snapshot,
  pages: PageReader,
  conditions: ConditionEvaluator,
  { listsHidden = false } = {},
): PageReader {
  const listed = listsHidden ? accessiblePages : listedPages;
  /** Whether the conditions of a page and of all pages above it hold; those above a computed page may be computed, too. */
  const isAccessible = async (page: PageRecord): Promise<boolean> => {
    for (let next: PageRecord | undefined = page; next; ) {
      // guard: page-conditions-above
      if (!conditions.isShown([next.condition])) return false;
      const { parent }: PageRecord = next;
      if (parent === null) return true;
      next = (await snapshot.page(parent)) ?? (await pages.subtree(parent))?.page;
    }
    return false;
  };

  const landingPage = async (parent: string | null): Promise<PageRecord | undefined> => {
    for (const child of await snapshot.children(parent)) {
      // guard: landing-page-listed
      if (child.hidden || !conditions.isShown([child.condition])) continue;
      if (child.type === 'document') return child;
      const below = await landingPage(child.id);
      if (below) return below;
    }
    return undefined;
  };

  return {
    pageTree: async () => listed(conditions, await pages.pageTree()),
    async subtree(id) {
      const node = await pages.subtree(id);
      return node && (await isAccessible(node.page))
        ? { ...node, pages: listed(conditions, node.pages) }
        : undefined;
    },
    async pageByPath(segments) {
      if (segments.length === 0) return landingPage(null);
      const page = await pages.pageByPath(segments);
      return page && (await isAccessible(page)) ? page : undefined;
    },
    document: pages.document,
    reader: pages.reader,
  };
}
