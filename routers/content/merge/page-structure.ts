/** Making one tree of pages that were merged one by one: every parent exists, no page is below itself, slugs differ. */

import type { ObjectReader } from '../store/objects.ts';
import { getValues, scan } from '../store/ordered-map.ts';
import { asPage, canHoldPages, childRange, type PageRecord, type Root } from '../store/records.ts';
import { uniqueSlug } from '../store/slug.ts';
import type { Settle, Side, Versions } from './conflicts.ts';

/** Pages that at least one side changed: their three versions, and what they are merged to, undefined when deleted. */
export type MergedPages = {
  readonly versions: ReadonlyMap<string, Versions<PageRecord>>;
  readonly merged: Map<string, PageRecord | undefined>;
  /** Pages that one side deleted and that a conflict keeps, with the side whose version it is. */
  readonly kept: Map<string, Side>;
};

/** The pages no side changed, read as they are needed. */
type Unchanged = Map<string, PageRecord | undefined>;

/**
 * Repairs `merged` until it is a tree. Each contradiction, such as a page put below one that the other side deleted,
 * is a conflict: the pages in it go back to where they are on the winning side, or go with what it deleted.
 */
export async function settleStructure(
  reader: ObjectReader,
  ours: Root,
  pages: MergedPages,
  settle: Settle,
): Promise<void> {
  const unchanged: Unchanged = new Map();
  const decided = new Set<string>();
  for (;;) {
    await readAncestors(reader, ours, pages, unchanged);
    const orphans = findOrphans(pages, unchanged);
    for (const [parent, children] of orphans) adopt(pages, settle, decided, parent, children);
    if (orphans.size > 0) continue;
    const cycle = findCycle(pages, unchanged);
    if (!cycle) return;
    breakCycle(pages, settle, decided, cycle);
  }
}

const lookUp = ({ merged }: MergedPages, unchanged: Unchanged, id: string): PageRecord | undefined =>
  merged.has(id) ? merged.get(id) : unchanged.get(id);

/** Reads what lies above the changed pages, one batch a level. */
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

/** Changed pages whose parent is gone or cannot hold pages, by parent, in the order of ids. */
function findOrphans(pages: MergedPages, unchanged: Unchanged): Map<string, PageRecord[]> {
  const orphans = [...pages.merged.values()].filter((page) => {
    if (!page?.parent) return false;
    const parent = lookUp(pages, unchanged, page.parent);
    return parent === undefined || !canHoldPages(parent);
  }) as PageRecord[];
  return Map.groupBy(orphans.sort(byId), ({ parent }) => parent as string);
}

/** Decides between a parent that one side took away and the pages that the other put below it. */
function adopt(
  pages: MergedPages,
  settle: Settle,
  decided: Set<string>,
  parent: string,
  children: readonly PageRecord[],
): void {
  if (decided.has(parent)) {
    toTopLevel(pages, children);
    return;
  }
  decided.add(parent);
  const versions = pages.versions.get(parent) as Versions<PageRecord>;
  const related = children.map(({ id }) => id);
  // A page that a conflict keeps takes what is above it along: that is no conflict of its own.
  const keeper = pages.kept.get(related[0] as string);
  const isKept = keeper && related.every((id) => pages.kept.get(id) === keeper);
  const side = isKept ? keeper : settle({ kind: 'page-deleted', page: parent, related }, versions);
  if (isKept) pages.kept.set(parent, keeper);
  const winner = versions[side];
  if (winner && canHoldPages(winner)) pages.merged.set(parent, winner);
  else for (const child of children) pages.merged.set(child.id, placedAsOn(side, pages, child));
}

/** A page where one side has it; undefined if that side does not have it. */
function placedAsOn(side: Side, { versions }: MergedPages, page: PageRecord): PageRecord | undefined {
  const winner = versions.get(page.id)?.[side];
  return winner && { ...page, parent: winner.parent, position: winner.position };
}

/** Where pages go that have no place even after their contradiction was decided: nothing is lost, and the search ends. */
function toTopLevel(pages: MergedPages, orphans: readonly PageRecord[]): void {
  for (const page of orphans) pages.merged.set(page.id, { ...page, parent: null });
}

/** The ids of pages that are below one another in a ring, if there are any, in the order of ids. */
function findCycle(pages: MergedPages, unchanged: Unchanged): string[] | undefined {
  const safe = new Set<string>();
  for (const start of [...pages.merged.keys()].sort()) {
    const line: string[] = [];
    for (
      let id: string | null | undefined = start;
      id && !safe.has(id);
      id = lookUp(pages, unchanged, id)?.parent
    ) {
      if (line.includes(id)) return line.slice(line.indexOf(id)).sort();
      line.push(id);
    }
    for (const id of line) safe.add(id);
  }
  return undefined;
}

function breakCycle(
  pages: MergedPages,
  settle: Settle,
  decided: Set<string>,
  cycle: readonly string[],
): void {
  const members = cycle.map((id) => pages.merged.get(id)).filter((page) => page !== undefined);
  // A ring takes a move from either side, so at least one of its pages is older than both.
  const first = members.find(({ id }) => pages.versions.get(id)?.base) as PageRecord;
  if (decided.has(`cycle ${first.id}`)) {
    toTopLevel(pages, [first]);
    return;
  }
  decided.add(`cycle ${first.id}`);
  const versions = pages.versions.get(first.id) as Versions<PageRecord>;
  const side = settle({ kind: 'page-placement', page: first.id, field: 'cycle', related: cycle }, versions);
  for (const page of members) pages.merged.set(page.id, placedAsOn(side, pages, page) ?? page);
}

/**
 * Gives suffixes to slugs that two sides gave to siblings. The page that had the slug there before keeps it, or else
 * the one with the lowest id.
 */
export async function settleSlugs(
  reader: ObjectReader,
  roots: Versions<Root>,
  { versions, merged }: MergedPages,
): Promise<void> {
  const present = [...merged.values()].filter(
    (page) => page !== undefined && page.slug !== '',
  ) as PageRecord[];
  const shared = [...Map.groupBy(present, ({ parent, slug }) => `${parent ?? ''}/${slug}`).values()].filter(
    ({ length }) => length > 1,
  );
  for (const pages of shared) {
    const { parent, slug } = pages[0] as PageRecord;
    // Slugs of either side count as taken, so that the suffix does not depend on who is called ours.
    const taken = new Set(present.filter((page) => page.parent === parent).map((page) => page.slug));
    for (const root of [roots.ours, roots.theirs]) {
      const entries = await scan(reader, root?.slugs ?? null, childRange(parent));
      for (const [key] of entries) taken.add(key.slice(key.indexOf('/') + 1));
    }
    const hadIt = ({ id }: PageRecord) => {
      const base = versions.get(id)?.base;
      return base?.parent === parent && base.slug === slug;
    };
    const [, ...others] = pages.sort((a, b) => Number(hadIt(b)) - Number(hadIt(a)) || byId(a, b));
    for (const page of others) {
      const fresh = uniqueSlug(slug, (candidate) => taken.has(candidate));
      taken.add(fresh);
      merged.set(page.id, { ...page, slug: fresh });
    }
  }
}

const byId = (a: PageRecord, b: PageRecord): number => (a.id < b.id ? -1 : 1);
