/** What a site shows visitors of the pages of a space. */

import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { PageNode, Snapshot } from '../engine/store/snapshot.ts';
import type { PageReader } from '../engine/templates/computed.ts';

/** The pages that exist for a visitor: none whose condition does not hold, and nothing below such a page. */
export const existingFor = (conditions: ConditionEvaluator, nodes: readonly PageNode[]): PageNode[] =>
  nodes
    .filter(({ page }) => conditions.isShown([page.condition]))
    .map((node) => ({ ...node, pages: existingFor(conditions, node.pages) }));

/** Those of them that are not hidden. */
const listedFor = (conditions: ConditionEvaluator, nodes: readonly PageNode[]): PageNode[] =>
  nodes
    .filter(({ page }) => !page.hidden && conditions.isShown([page.condition]))
    .map((node) => ({ ...node, pages: listedFor(conditions, node.pages) }));

/**
 * The pages of a snapshot for a visitor: lists leave out the hidden ones, which are found by their id or path, and the
 * landing page is the first listed document.
 */
export function shownPages(
  snapshot: Snapshot,
  pages: PageReader,
  conditions: ConditionEvaluator,
): PageReader {
  /** Whether a page and all pages above it are shown; those above a computed page may be computed as well. */
  const exists = async (page: PageRecord): Promise<boolean> => {
    for (let next: PageRecord | undefined = page; next; ) {
      if (!conditions.isShown([next.condition])) return false;
      const { parent }: PageRecord = next;
      if (parent === null) return true;
      next = (await snapshot.page(parent)) ?? (await pages.subtree(parent))?.page;
    }
    return false;
  };

  const landingPage = async (parent: string | null): Promise<PageRecord | undefined> => {
    for (const child of await snapshot.children(parent)) {
      if (child.hidden || !conditions.isShown([child.condition])) continue;
      if (child.type === 'document') return child;
      const below = await landingPage(child.id);
      if (below) return below;
    }
    return undefined;
  };

  return {
    pageTree: async () => listedFor(conditions, await pages.pageTree()),
    async subtree(id) {
      const node = await pages.subtree(id);
      return node && (await exists(node.page))
        ? { ...node, pages: listedFor(conditions, node.pages) }
        : undefined;
    },
    async pageByPath(segments) {
      if (segments.length === 0) return landingPage(null);
      const page = await pages.pageByPath(segments);
      return page && (await exists(page)) ? page : undefined;
    },
    document: pages.document,
    reader: pages.reader,
  };
}
