import { newId } from '../../schema/ids.ts';
import type { NewRevision } from '../branches/advance.operation.ts';
import type { RevisionContent } from '../branches/roots.query.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** A conflict left by an update, with the ids of the revision that the update made and of the common ancestor. */
export type OpenConflict = Conflict & { readonly update: string; readonly baseRevision: string };

type Content = Pick<RevisionContent, 'id' | 'root'>;

/** The content of a change request (ours), what is pulled into it (theirs), and their common ancestor. */
export interface MergeSides {
  base: Content;
  ours: Content;
  theirs: Content;
}

/** An update of a change request that is computed but not saved, and the conflicts that it leaves. */
export interface PullResult {
  revision: NewRevision;
  /** The revisions of both sides, from which the conflicts come. */
  parents: { ours: Content; theirs: Content; base: Content };
  conflicts: readonly OpenConflict[];
}

/**
 * Pulls content into a change request, which keeps its own side of each conflict. New objects go to the buffer.
 */
export async function pullContent(
  engine: Engine,
  buffer: ObjectBuffer,
  sides: MergeSides,
): Promise<PullResult> {
  const { base, ours, theirs } = sides;
  const roots = { base: base.root, ours: ours.root, theirs: theirs.root };
  const { root, conflicts } = await engine.run('merge', roots, buffer);
  const revision = { id: newId(), root, type: 'update', merged: theirs.id } as const;
  const open = conflicts.map((conflict) => ({ ...conflict, update: revision.id, baseRevision: base.id }));
  return { revision, parents: sides, conflicts: open };
}

/** The unresolved conflicts after an update: one at the place of an earlier one replaces it, but keeps its base. */
export function addConflicts(
  unresolved: readonly OpenConflict[],
  added: readonly OpenConflict[],
): OpenConflict[] {
  const conflicts = new Map(unresolved.map((conflict) => [conflict.id, conflict]));
  for (const conflict of added) {
    const base = conflicts.get(conflict.id)?.base ?? conflict.base;
    conflicts.set(conflict.id, { ...conflict, base });
  }
  return [...conflicts.values()];
}
