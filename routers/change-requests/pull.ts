import { newId } from '../../schema/ids.ts';
import type { NewRevision } from '../branches/advance.operation.ts';
import type { RevisionContent } from '../branches/roots.query.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** A conflict left by an update, with the revision that the update created and the common ancestor of both sides. */
export type OpenConflict = Conflict & { readonly update: string; readonly baseRevision: string };

type Content = Pick<RevisionContent, 'id' | 'root'>;

/** The contents of a change request (ours) and of what is pulled into it, with their common ancestor. */
export interface PullSides {
  base: Content;
  ours: Content;
  theirs: Content;
}

/** An update of a change request that is to be made, and the conflicts that it leaves. */
export interface Pull {
  revision: NewRevision;
  /** The revisions of both sides, from which the conflicts come. */
  parents: { ours: Content; theirs: Content; base: Content };
  conflicts: readonly OpenConflict[];
}

/**
 * Pulls content into a change request: what merges cleanly, and its own side of each conflict. New objects go to the
 * buffer.
 */
export async function pullContent(engine: Engine, buffer: ObjectBuffer, sides: PullSides): Promise<Pull> {
  const { base, ours, theirs } = sides;
  const roots = { base: base.root, ours: ours.root, theirs: theirs.root };
  const { root, conflicts } = await engine.run('merge', roots, buffer);
  const revision = { id: newId(), root, type: 'update', merged: theirs.id } as const;
  const open = conflicts.map((conflict) => ({ ...conflict, update: revision.id, baseRevision: base.id }));
  return { revision, parents: sides, conflicts: open };
}

/** The recorded conflicts after an update: one at the place of an earlier one replaces it, but keeps its base. */
export function withConflicts(
  standing: readonly OpenConflict[],
  added: readonly OpenConflict[],
): OpenConflict[] {
  const conflicts = new Map(standing.map((conflict) => [conflict.id, conflict]));
  for (const conflict of added) {
    const base = conflicts.get(conflict.id)?.base ?? conflict.base;
    conflicts.set(conflict.id, { ...conflict, base });
  }
  return [...conflicts.values()];
}
