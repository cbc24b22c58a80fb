import { newId } from '../../schema/ids.ts';
import type { NewRevision } from '../branches/advance.operation.ts';
import type { RevisionContent } from '../branches/roots.query.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** A conflict left by an update, with the ids of the revision that the update made and of the common ancestor. */
export type OpenConflict = Conflict & {
  readonly update: string;
  readonly baseRevision: string;
  /** The common ancestor when there was first a conflict at this place, where that is known. */
  readonly origin?: string | undefined;
  /** Whether it is a conflict with an import, rather than with the space. */
  readonly isImported?: boolean | undefined;
};

/** The revision with the base of a conflict. */
export const originOf = ({ origin, baseRevision }: OpenConflict): string => origin ?? baseRevision;

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

/** An update from the space, and the conflicts of earlier updates that no longer exist after it. */
export interface SpacePull extends PullResult {
  settled: readonly OpenConflict[];
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
  const found = { update: revision.id, baseRevision: base.id, origin: base.id };
  const open = conflicts.map((conflict) => ({ ...conflict, ...found }));
  return { revision, parents: sides, conflicts: open };
}

/** The unresolved conflicts after an update from the space, if there was one. */
export const unresolvedAfter = (
  recorded: readonly OpenConflict[],
  pull: SpacePull | undefined,
): readonly OpenConflict[] => {
  if (!pull) return recorded;
  const settled = new Set(pull.settled.map(({ id }) => id));
  return addConflicts(
    recorded.filter(({ id }) => !settled.has(id)),
    pull.conflicts,
  );
};

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
