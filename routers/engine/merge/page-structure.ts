/**
 * Repairs the page tree after pages were merged one by one: every parent must exist, no page may be below itself or too
 * deep, and slugs must be unique.
 */

import { findTooDeep, type PageTree, type TooDeepPage } from '../store/depth.ts';
import type { ObjectReader } from '../store/objects.ts';
import { getValues, scanMany } from '../store/ordered-map.ts';
import {
  asPage,
  canHoldPages,
  childRange,
  type PageRecord,
  type Root,
  slugKey,
  type TreeEntry,
} from '../store/records.ts';
import { createUniqueSlugs } from '../store/slug.ts';
import type { ConflictResolver, Side, Versions } from './conflicts.ts';
import type { KeepSubtree } from './deleted-subtrees.ts';

/** Pages that at least one side changed: their three versions, and the merged page, undefined if deleted. */
export type MergedPages = {
  readonly versions: ReadonlyMap<string, Versions<PageRecord>>;
  readonly merged: Map<string, PageRecord | undefined>;
  /** Pages that one side deleted but a conflict keeps, with the side whose version is kept. */
  readonly kept: Map<string, Side>;
  readonly keepSubtree: KeepSubtree;
};

/** Pages that neither side changed, read on demand. */
type Unchanged = Map<string, PageRecord | undefined>;

/** Maximum number of rounds in which contradictions are resolved; after that, their pages are moved to the top level. */
const MAX_ROUNDS = 100;

/**
 * Repairs `merged` until it is a valid tree. Each contradiction, such as a page moved below one that the other side deleted,
 * or moves that together put a page too deep, is a conflict: its pages go back to where they are on the winning side, or
 * are deleted with what that side deleted.
 */
export async function repairPageTree(
  reader: ObjectReader,
  roots: Readonly<Record<Side, Root>>,
  pages: MergedPages,
  resolve: ConflictResolver,
): Promise<void> {
  const unchanged: Unchanged = new Map();
  const decided = new Set<string>();
  for (let round = 0; ; round++) {
    await readAncestors(reader, roots.ours, pages, unchanged);
    const decide = round < MAX_ROUNDS ? decided : EVERYTHING;
    const orphans = findOrphans(pages, unchanged);
    for (const [parent, children] of orphans) resolveOrphans(pages, resolve, decide, parent, children);
    if (orphans.size > 0) continue;
    const cycles = findCycles(pages, unchanged);
    for (const cycle of cycles) breakCycle(pages, resolve, decide, cycle);
    if (cycles.length > 0) continue;
    const tooDeep = await findTooDeepPages(reader, roots, pages, unchanged);
    for (const found of tooDeep) resolveTooDeep(pages, unchanged, resolve, decide, found);
    if (tooDeep.length === 0) return;
  }
}

/** The contradictions that were already resolved, by name. */
type Decided = { has(name: string): boolean; add(name: string): unknown };
const EVERYTHING: Decided = { has: () => true, add: () => undefined };

const lookUp = ({ merged }: MergedPages, unchanged: Unchanged, id: string): PageRecord | undefined =>
  merged.has(id) ? merged.get(id) : unchanged.get(id);

/** Reads the ancestors of the changed pages, one batch per level. */
async function readAncestors(
  reader: ObjectReader,
  ours: Root,
  { merged }: MergedPages,
  unchanged: Unchanged,
): Promise<void> {
  let pages = [...merged.values()];
  for (;;) {
    const missing = new Set(
      pages.flatMap((page) =>
        page?.parent && !merged.has(page.parent) && !unchanged.has(page.parent) ? [page.parent] : [],
      ),
    );
    if (missing.size === 0) return;
    const found = await getValues(reader, ours.pages, missing);
    pages = [...missing].map((id) => asPage(found.get(id)));
    for (const [index, id] of [...missing].entries()) unchanged.set(id, pages[index]);
  }
}

/** Finds changed pages whose parent does not exist or cannot have children, by parent, in the order of ids. */
function findOrphans(pages: MergedPages, unchanged: Unchanged): Map<string, PageRecord[]> {
  const orphans = [...pages.merged.values()].filter((page) => {
    if (!page?.parent) return false;
    const parent = lookUp(pages, unchanged, page.parent);
    return parent === undefined || !canHoldPages(parent);
  }) as PageRecord[];
  return Map.groupBy(orphans.sort(byId), ({ parent }) => parent as string);
}

/** Resolves the conflict between a parent that one side removed and the pages that the other moved below it. */
function resolveOrphans(
  pages: MergedPages,
  resolve: ConflictResolver,
  decided: Decided,
  parent: string,
  children: readonly PageRecord[],
): void {
  if (decided.has(parent)) {
    moveToTopLevel(pages, children);
    return;
  }
  decided.add(parent);
  const versions = pages.versions.get(parent) as Versions<PageRecord>;
  const related = children.map(({ id }) => id);
  // A page that a conflict keeps also keeps its ancestors, without another conflict.
  const keeper = pages.kept.get(related[0] as string);
  const isKept = keeper && related.every((id) => pages.kept.get(id) === keeper);
  const side = isKept ? keeper : resolve({ kind: 'page-deleted', page: parent, related }, versions);
  if (isKept) pages.kept.set(parent, keeper);
  const winner = versions[side];
  if (winner && canHoldPages(winner)) {
    pages.merged.set(parent, winner);
    if (!isKept) pages.keepSubtree(parent, side);
  } else for (const child of children) pages.merged.set(child.id, placedAsIn(side, pages, child));
}

/** A page with its placement on one side; undefined if that side does not have it. */
function placedAsIn(side: Side, { versions }: MergedPages, page: PageRecord): PageRecord | undefined {
  const winner = versions.get(page.id)?.[side];
  return winner && { ...page, parent: winner.parent, position: winner.position };
}

/**
 * Moves pages that have no valid parent even after their conflict was resolved, so that nothing is lost and the repair
 * ends.
 */
function moveToTopLevel(pages: MergedPages, orphans: readonly PageRecord[]): void {
  for (const page of orphans) pages.merged.set(page.id, { ...page, parent: null });
}

/** Finds cycles: the ids of pages that are below one another, in the order of ids. */
function findCycles(pages: MergedPages, unchanged: Unchanged): string[][] {
  const safe = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...pages.merged.keys()].sort()) {
    const path = new Set<string>();
    let id: string | null | undefined = start;
    for (; id && !safe.has(id) && !path.has(id); id = lookUp(pages, unchanged, id)?.parent) path.add(id);
    if (id && path.has(id)) {
      const all = [...path];
      cycles.push(all.slice(all.indexOf(id)).sort());
    }
    for (const page of path) safe.add(page);
  }
  return cycles;
}

function breakCycle(
  pages: MergedPages,
  resolve: ConflictResolver,
  decided: Decided,
  cycle: readonly string[],
): void {
  const members = cycle.map((id) => pages.merged.get(id)).filter((page) => page !== undefined);
  // A cycle requires a move on each side, so at least one of its pages exists in the base.
  const first = members.find(({ id }) => pages.versions.get(id)?.base) as PageRecord;
  if (decided.has(`cycle ${first.id}`)) {
    moveToTopLevel(pages, [first]);
    return;
  }
  decided.add(`cycle ${first.id}`);
  const versions = pages.versions.get(first.id) as Versions<PageRecord>;
  const side = resolve({ kind: 'page-placement', page: first.id, field: 'cycle', related: cycle }, versions);
  for (const page of members) pages.merged.set(page.id, placedAsIn(side, pages, page) ?? page);
}

/** Whether the page has another parent, or does not exist, in any of the versions. */
function isPlaced(versions: MergedPages['versions'], { id, parent }: PageRecord): boolean {
  const known = versions.get(id);
  return (
    known !== undefined &&
    [known.base, known.ours, known.theirs].some((version) => version?.parent !== parent)
  );
}

/** Finds pages that are too deep after the merge, and deeper than on either side. */
async function findTooDeepPages(
  reader: ObjectReader,
  roots: Readonly<Record<Side, Root>>,
  pages: MergedPages,
  unchanged: Unchanged,
): Promise<TooDeepPage[]> {
  const { merged, versions } = pages;
  const placed = [...merged.values()].filter((page) => page !== undefined && isPlaced(versions, page));
  if (placed.length === 0) return [];
  const below = Map.groupBy(
    [...merged.values()].filter((page) => page !== undefined),
    ({ parent }) => parent,
  );
  const after = {
    pages: async (ids: Iterable<string>) =>
      new Map([...ids].map((id) => [id, lookUp(pages, unchanged, id)] as const)),
    async childIds(parents: readonly string[]) {
      const ranges = await scanMany(reader, roots.ours.tree, parents.map(childRange));
      return ranges.map((entries, index) => {
        const stored = entries.map(([, entry]) => (entry as TreeEntry).id).filter((id) => !merged.has(id));
        const changed = below.get(parents[index] as string) ?? [];
        return [...stored, ...changed.map(({ id }) => id)];
      });
    },
  };
  const before = [treeOf(reader, roots.ours), treeOf(reader, roots.theirs)];
  return findTooDeep(after, before, new Set(placed.map((page) => (page as PageRecord).id)));
}

const treeOf = (reader: ObjectReader, root: Root): PageTree => ({
  async pages(ids) {
    const found = await getValues(reader, root.pages, ids);
    return new Map([...found].map(([id, page]) => [id, asPage(page)]));
  },
});

/** Resolves the conflict between moves that together put a page too deep. */
function resolveTooDeep(
  pages: MergedPages,
  unchanged: Unchanged,
  resolve: ConflictResolver,
  decided: Decided,
  { placed }: TooDeepPage,
): void {
  const moved: PageRecord[] = [];
  let next = lookUp(pages, unchanged, placed);
  for (; next; next = next.parent === null ? undefined : lookUp(pages, unchanged, next.parent))
    if (isPlaced(pages.versions, next)) moved.push(next);
  const first = moved.findLast(({ id }) => pages.versions.get(id)?.base);
  const source = pages.merged.get(placed) as PageRecord;
  if (!first || decided.has(`depth ${first.id}`)) {
    moveToTopLevel(pages, [source]);
    return;
  }
  decided.add(`depth ${first.id}`);
  const versions = pages.versions.get(first.id) as Versions<PageRecord>;
  const related = moved.map(({ id }) => id).sort();
  const side = resolve({ kind: 'page-placement', page: first.id, field: 'depth', related }, versions);
  for (const page of moved) pages.merged.set(page.id, placedAsIn(side, pages, page) ?? page);
}

/**
 * Adds suffixes to slugs that siblings share after the merge. A page that neither side changed keeps its slug, or else the
 * page that had it in the base, or else the one with the lowest id.
 */
export async function resolveSlugCollisions(
  reader: ObjectReader,
  roots: Readonly<Record<Side, Root>>,
  { versions, merged }: MergedPages,
): Promise<void> {
  const present = [...merged.values()].filter(
    (page) => page !== undefined && page.slug !== '',
  ) as PageRecord[];
  const bySlug = Map.groupBy(present, ({ parent, slug }) => slugKey(parent, slug));
  const holders = await getValues(reader, roots.ours.slugs, bySlug.keys());
  const isTaken = (key: string) => holders.has(key) && !merged.has(holders.get(key) as string);
  const shared = [...bySlug].filter(([key, { length }]) => length > 1 || isTaken(key));
  const parents = [...new Set(shared.map(([, [first]]) => (first as PageRecord).parent))];
  const taken = await takenSlugs(reader, roots, present, parents);
  for (const [key, pages] of shared) {
    const { parent, slug } = pages[0] as PageRecord;
    const unique = createUniqueSlugs(taken.get(parent));
    const hadSlug = ({ id }: PageRecord) => {
      const base = versions.get(id)?.base;
      return base?.parent === parent && base.slug === slug;
    };
    pages.sort((a, b) => Number(hadSlug(b)) - Number(hadSlug(a)) || byId(a, b));
    for (const page of isTaken(key) ? pages : pages.slice(1))
      merged.set(page.id, { ...page, slug: unique(slug) });
  }
}

/** The slugs taken below these parents on either side, so that suffixes do not depend on which side is ours. */
async function takenSlugs(
  reader: ObjectReader,
  roots: Readonly<Record<Side, Root>>,
  present: readonly PageRecord[],
  parents: readonly (string | null)[],
): Promise<Map<string | null, Set<string>>> {
  const taken = new Map(parents.map((parent) => [parent, new Set<string>()]));
  for (const { parent, slug } of present) taken.get(parent)?.add(slug);
  for (const root of [roots.ours, roots.theirs]) {
    const ranges = await scanMany(reader, root.slugs, parents.map(childRange));
    for (const [index, entries] of ranges.entries())
      for (const [key] of entries)
        taken.get(parents[index] as string | null)?.add(key.slice(key.indexOf('/') + 1));
  }
  return taken;
}

const byId = (a: PageRecord, b: PageRecord): number => (a.id < b.id ? -1 : 1);
