/** The depth of pages in the page tree, which is 1 at the top level. */

/** The maximum depth of a page. Existing pages that are deeper can still be read, and moved up. */
export const MAX_PAGE_DEPTH = 32;

type ChildPage = { readonly parent: string | null };

/** A state of the page tree, read in batches. */
export interface PageTree {
  /** The existing pages among these ids, by id. */
  pages(ids: Iterable<string>): Promise<ReadonlyMap<string, ChildPage | undefined>>;
}

/** The state of the page tree after a change. */
export interface ChangedPageTree extends PageTree {
  /** The ids of the children of each of these pages. */
  childIds(parents: readonly string[]): Promise<readonly (readonly string[])[]>;
}

/** A page that is too deep, and the nearest page that was moved or created: itself or an ancestor. */
export interface TooDeepPage {
  readonly page: string;
  readonly placed: string;
}

/**
 * Finds pages that a change moves below {@link MAX_PAGE_DEPTH} and that are deeper than in all states before; returns only
 * those nearest to the top. `placed` contains all pages that are new or have a new parent. The tree must not contain cycles.
 * The cost is proportional to the number of descendants of pages that became deeper.
 */
export async function findTooDeep(
  after: ChangedPageTree,
  before: readonly PageTree[],
  placed: ReadonlySet<string>,
): Promise<TooDeepPage[]> {
  const now = await depthsOf(after, placed);
  const then = await Promise.all(before.map((tree) => depthsOf(tree, placed)));
  let level = [...placed]
    .filter((id) => then.every((depths) => (now.get(id) ?? 0) > (depths.get(id) ?? 0)))
    .map((id) => ({ id, placed: id, depth: now.get(id) as number }));
  const found: (TooDeepPage & { depth: number })[] = [];
  while (level.length > 0) {
    const children = await after.childIds(level.map(({ id }) => id));
    const next: typeof level = [];
    for (const [index, page] of level.entries()) {
      if (page.depth > MAX_PAGE_DEPTH) found.push({ page: page.id, placed: page.placed, depth: page.depth });
      // Children that were placed themselves are checked on their own.
      else
        for (const id of children[index] ?? [])
          if (!placed.has(id)) next.push({ id, placed: page.placed, depth: page.depth + 1 });
    }
    level = next;
  }
  const highest = found.reduce((depth, page) => Math.min(depth, page.depth), Number.POSITIVE_INFINITY);
  return found.filter(({ depth }) => depth === highest);
}

/** The depths of the existing pages among these ids; reads one batch per level. */
export async function depthsOf(tree: PageTree, ids: Iterable<string>): Promise<Map<string, number>> {
  const parents = new Map<string, string | null>();
  const wanted = [...ids];
  for (let missing = new Set(wanted); missing.size > 0; ) {
    const pages = await tree.pages(missing);
    const above = new Set<string>();
    for (const id of missing) {
      const page = pages.get(id);
      if (!page) continue;
      parents.set(id, page.parent);
      if (page.parent !== null && !parents.has(page.parent)) above.add(page.parent);
    }
    missing = new Set([...above].filter((id) => !parents.has(id)));
  }
  const depths = new Map<string, number>();
  for (const id of wanted) {
    const line: string[] = [];
    let at: string | null | undefined = id;
    for (; at && !depths.has(at) && parents.has(at); at = parents.get(at)) line.push(at);
    let depth = (at && depths.get(at)) || 0;
    for (const page of line.reverse()) depths.set(page, ++depth);
  }
  return depths;
}
