import type { PageRecord } from '../store/records.ts';
import type { Side, Versions } from './conflicts.ts';
import { sameContent } from './records.ts';

/**
 * Keeps the pages below one that a conflict keeps as on `side`, and that the other side deleted with it: whoever wants the page
 * back wants all of it. Pages with a conflict of their own depend on that, with those below them.
 */
export type KeepSubtree = (id: string, side: Side) => void;

export function createKeepSubtree(
  versions: ReadonlyMap<string, Versions<PageRecord>>,
  merged: Map<string, PageRecord | undefined>,
): KeepSubtree {
  const deletable = { ours: new Map<string, PageRecord[]>(), theirs: new Map<string, PageRecord[]>() };
  for (const { base, ours, theirs } of versions.values()) {
    const page = ours && theirs ? undefined : (ours ?? theirs);
    if (!page?.parent || !sameContent(base, page)) continue;
    const below = deletable[ours ? 'ours' : 'theirs'];
    const siblings = below.get(page.parent);
    if (siblings) siblings.push(page);
    else below.set(page.parent, [page]);
  }
  return (id, side) => {
    for (let level = [id]; level.length > 0; ) {
      const deleted = level
        .flatMap((parent) => deletable[side].get(parent) ?? [])
        .filter((page) => merged.get(page.id) === undefined);
      for (const page of deleted) merged.set(page.id, page);
      level = deleted.map((page) => page.id);
    }
  };
}
