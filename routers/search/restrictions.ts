/** Who may see pages, and the documents of pages, apart from the permissions of their space. */

import type { DocumentRow, Leaf } from './leaves.ts';

/** What limits who may see a page, apart from the permissions of its space. */
export interface Restriction {
  /** Whether the page or one of its ancestors is hidden. */
  isHidden: boolean;
  /** The conditions of the page and its ancestors; all must hold. */
  conditions: readonly string[];
}

/** The {@link DocumentRow.limited} of a row. */
export function limitedDocuments(
  { numbers, pageOf, pages, conditions }: DocumentRow,
  restrictions: ReadonlyMap<string, Restriction>,
): Uint8Array | undefined {
  if (restrictions.size === 0 && conditions.size === 0) return undefined;
  const limited = new Uint8Array(numbers.length);
  for (const index of conditions.keys()) limited[index] = 1;
  if (restrictions.size > 0)
    for (let index = 0; index < limited.length; index++)
      if (restrictions.has(pages.at(pageOf[index] as number) as string)) limited[index] = 1;
  return limited;
}

/** For a page below an unknown one: it is visible to nobody until its ancestors are known. */
const UNKNOWN_RESTRICTION: Restriction = { isHidden: true, conditions: ['false'] };

/** What limits who may see a page, apart from its ancestors. */
interface Guarded {
  parent: string | null;
  isHidden: boolean;
  condition: string | null;
}

/** How many pages are processed between two pauses. */
const STRIDE = 5000;

/**
 * Computes the restrictions of pages; unrestricted pages are left out. All leaves are needed at once, because the ancestors of a
 * page may be in any of them.
 * @param isComplete whether these are all leaves of the space
 */
export async function restrictionsIn(
  leaves: readonly Leaf[],
  isComplete: boolean,
  pause: () => Promise<unknown>,
): Promise<ReadonlyMap<string, Restriction>> {
  const restrictions = new Map<string, Restriction>();
  if (isComplete && !leaves.some(({ isRestricted }) => isRestricted)) return restrictions;
  const pages = new Map<string, Guarded>();
  for (const leaf of leaves) {
    for (let index = 0; index < leaf.ids.length; index++) {
      const [, , hidden = 0, condition = null] = leaf.special.get(index) ?? [];
      pages.set(leaf.ids.at(index) as string, {
        parent: leaf.parents.at(index) as string | null,
        isHidden: hidden === 1,
        condition,
      });
      if (pages.size % STRIDE === 0) await pause();
    }
  }
  const known = new Map<string, Restriction | undefined>();
  let count = 0;
  for (const id of pages.keys()) {
    if (++count % STRIDE === 0) await pause();
    const path: string[] = [];
    let at: string | null = id;
    while (at !== null && !known.has(at)) {
      const page: Guarded | undefined = pages.get(at);
      // Pages never form a cycle, but one would make this loop endless.
      if (!page || path.length > pages.size) break;
      path.push(at);
      at = page.parent;
    }
    // guard: search-guarded-above
    let above = at === null ? undefined : known.has(at) ? known.get(at) : UNKNOWN_RESTRICTION;
    for (const page of path.reverse()) {
      const { isHidden, condition } = pages.get(page) as Guarded;
      if (isHidden || condition !== null)
        above = {
          isHidden: isHidden || (above?.isHidden ?? false),
          conditions: [...(above?.conditions ?? []), ...(condition === null ? [] : [condition])],
        };
      known.set(page, above);
      if (above) restrictions.set(page, above);
    }
  }
  return restrictions;
}
