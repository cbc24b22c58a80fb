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

/**
 * The pages of a snapshot for a visitor. Hidden ones are among them, as links lead to them: renderers, which find pages in
 * these lists alone, leave them out of contents. The landing page is the first document that is not hidden.
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
    pageTree: async () => existingFor(conditions, await pages.pageTree()),
    async subtree(id) {
      const node = await pages.subtree(id);
      return node && (await exists(node.page))
        ? { ...node, pages: existingFor(conditions, node.pages) }
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
