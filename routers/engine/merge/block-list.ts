/** Merges the order and presence of the blocks in a list; their contents are merged elsewhere. */

import { type Alignment, align } from '../align.ts';
import { sameJson } from '../store/canonical.ts';
import type { Side, Versions } from './conflicts.ts';
import { type Region, threeWayRegions } from './regions.ts';

/** A block or fragment, which is identified across versions by its key. */
export type Keyed = { readonly key?: string | undefined };

type Lists<Item> = Readonly<Record<'base' | Side, readonly Item[]>>;

/** A place where the two sides changed a list differently, after the base block with the key `after`. */
type ListConflict<Item> = { readonly after: string | undefined; readonly versions: Lists<Item> };

/** An item of the merged list: the version to take, or versions to merge, where both ours and theirs exist. */
type MergedItem<Item> = { readonly take: Item } | { readonly merge: Versions<Item> };

/** A list, indexed by the ids of its items. */
type Indexed<Item> = { readonly ids: readonly string[]; readonly items: ReadonlyMap<string, Item> };

/**
 * Merges three versions of a list by key like git merges lines: adjacent insertions, deletions and moves of the two sides
 * conflict unless they are equal. Changes inside blocks are finer: those in adjacent blocks do not conflict. Deleting a
 * block that the other side changed or moved is a conflict.
 */
export function mergeList<Item extends Keyed>(
  lists: Lists<Item>,
  decide: (conflict: ListConflict<Item>) => Side,
): MergedItem<Item>[] {
  const all = {
    base: indexItems(lists.base),
    ours: indexItems(lists.ours),
    theirs: indexItems(lists.theirs),
  };
  const alignments = { ours: align(all.base.ids, all.ours.ids), theirs: align(all.base.ids, all.theirs.ids) };
  const regions = threeWayRegions(all.base.ids, all.ours.ids, all.theirs.ids, alignments);

  const place = (side: Side, id: string): MergedItem<Item> => {
    const versions = versionsOf(all, id);
    return versions.base && versions.ours && versions.theirs
      ? { merge: versions }
      : { take: all[side].items.get(id) as Item };
  };

  const incompatible = new Set(regions.filter((region) => isIncompatible(all, region)));
  const conflicts = new Set(
    [...incompatible].filter(({ ours, theirs }) => {
      return !haveSameContent(lists.ours.slice(...ours), lists.theirs.slice(...theirs));
    }),
  );
  const moves = {
    ours: movedIds(all, 'ours', alignments.ours),
    theirs: movedIds(all, 'theirs', alignments.theirs),
  };
  if (
    areMovedDifferently(all, moves, regions) ||
    (conflicts.size > 0 && moves.ours.size + moves.theirs.size > 0)
  ) {
    // Half a move would lose or duplicate a block, so the order is taken from one side as a whole.
    const side = decide({ after: undefined, versions: lists });
    return all[side].ids.map((id) => place(side, id));
  }
  return regions.flatMap((region): MergedItem<Item>[] => {
    const ids = { ours: all.ours.ids.slice(...region.ours), theirs: all.theirs.ids.slice(...region.theirs) };
    if (region.kind === 'same') return ids.ours.map((id) => ({ merge: versionsOf(all, id) }));
    let side: Side = region.kind === 'theirs' ? 'theirs' : 'ours';
    if (conflicts.has(region)) {
      side = decide({
        after: lists.base[region.base[0] - 1]?.key,
        versions: {
          base: lists.base.slice(...region.base),
          ours: lists.ours.slice(...region.ours),
          theirs: lists.theirs.slice(...region.theirs),
        },
      });
    } else if (incompatible.has(region)) {
      // They are equal except for their keys; which keys are kept must not depend on which side is ours.
      side = ids.ours.join() < ids.theirs.join() ? 'ours' : 'theirs';
    }
    return ids[side].map((id) => place(side, id));
  });
}

/** Ids are keys. An item without a key, or with a duplicate key, is identified by its index, prefixed with NUL. */
function indexItems<Item extends Keyed>(list: readonly Item[]): Indexed<Item> {
  const items = new Map<string, Item>();
  for (const [index, item] of list.entries()) {
    items.set(item.key === undefined || items.has(item.key) ? `\0${index}` : item.key, item);
  }
  return { ids: [...items.keys()], items };
}

type AllVersions<Item> = Readonly<Record<'base' | Side, Indexed<Item>>>;

const versionsOf = <Item>({ base, ours, theirs }: AllVersions<Item>, id: string): Versions<Item> => ({
  base: base.items.get(id),
  ours: ours.items.get(id),
  theirs: theirs.items.get(id),
});

/** Whether the two sides' changes of a region are incompatible. */
function isIncompatible<Item>(all: AllVersions<Item>, region: Region): boolean {
  if (region.kind === 'conflict') return true;
  if (region.kind !== 'ours' && region.kind !== 'theirs') return false;
  const changed = all[region.kind];
  const other = all[region.kind === 'ours' ? 'theirs' : 'ours'];
  const deletesChanged = all.base.ids.slice(...region.base).some((id) => {
    const kept = other.items.get(id);
    return !changed.items.has(id) && kept !== undefined && !sameJson(all.base.items.get(id), kept);
  });
  const movesDeleted = changed.ids
    .slice(...region[region.kind])
    .some((id) => all.base.items.has(id) && !other.items.has(id));
  return deletesChanged || movesDeleted;
}

/** Items of the base that a side moved. */
function movedIds<Item>(all: AllVersions<Item>, side: Side, alignment: Alignment): Set<string> {
  const stayed = new Set(alignment.map(([index]) => all.base.ids[index] as string));
  return new Set(all.base.ids.filter((id) => all[side].items.has(id) && !stayed.has(id)));
}

/** Whether the sides moved one item to different places. */
function areMovedDifferently<Item>(
  all: AllVersions<Item>,
  moves: Readonly<Record<Side, Set<string>>>,
  regions: readonly Region[],
): boolean {
  const alike = regions.flatMap((region) =>
    region.kind === 'same' ? all.ours.ids.slice(...region.ours) : [],
  );
  return moves.ours.intersection(moves.theirs).difference(new Set(alike)).size > 0;
}

/** Whether blocks are equal except for their keys; a `key` in their data is content. */
function haveSameContent(a: readonly unknown[], b: readonly unknown[]): boolean {
  return sameJson(withoutKeys(a), withoutKeys(b));
}

function withoutKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'key');
  return Object.fromEntries(
    fields.map(([name, field]) => [name, name === 'data' ? field : withoutKeys(field)]),
  );
}
