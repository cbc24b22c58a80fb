/** The depth of pages: 1 at the top level. */

/** The maximum depth of a page. Existing deeper content can be read, and moved up. */
export const MAX_PAGE_DEPTH = 32;

type ChildPage = { readonly parent: string | null };

/** A state of the pages, read a batch at a time. */
export interface PageTree {
  /** Those of some pages that are there, by id. */
  pages(ids: Iterable<string>): Promise<ReadonlyMap<string, ChildPage | undefined>>;
}

/** The state after a change. */
export interface ChangedPageTree extends PageTree {
  /** The ids of the pages directly below each of some pages. */
  childIds(parents: readonly string[]): Promise<readonly (readonly string[])[]>;
}

/** A page that is too deep, and the nearest page that was placed: itself or an ancestor. */
export interface TooDeepPage {
  readonly page: string;
  readonly placed: string;
}

/**
 * The pages that a change brings below {@link MAX_PAGE_DEPTH}, deeper than they are in any of the states before it: those
 * that lie highest. `placed` names every page whose parent changed or that is new. There are no rings among the pages.
 * The cost follows what lies below the pages that went deeper.
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
      // A page that was placed itself is judged by its own place.
      else
        for (const id of children[index] ?? [])
          if (!placed.has(id)) next.push({ id, placed: page.placed, depth: page.depth + 1 });
    }
    level = next;
  }
  const highest = found.reduce((depth, page) => Math.min(depth, page.depth), Number.POSITIVE_INFINITY);
  return found.filter(({ depth }) => depth === highest);
}

/** The depth of each of some pages that are there; one batch a level. */
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
