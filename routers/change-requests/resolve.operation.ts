import { newId } from '../../schema/ids.ts';
import type { Advance, NewRevision } from '../branches/advance.operation.ts';
import type { SaveContext, SwapContext } from '../branches/compare-and-swap.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { notFound } from '../engine/errors.ts';
import { recordContribution, recordUpdate } from './change-requests.operation.ts';
import {
  acceptTheirs,
  deleteResolvedConflicts,
  readConflicts,
  savePulledConflicts,
} from './conflicts.operation.ts';
import type { LockedChangeRequest } from './lock.operation.ts';
import {
  changeAfterPull,
  type LoadMergeState,
  type MergeState,
  type UpdateResult,
} from './merge.operation.ts';
import { type OpenConflict, unresolvedAfter } from './pull.ts';

export interface Resolution {
  take: 'ours' | 'theirs';
  /** Ids of conflicts; all if absent. */
  conflicts?: readonly string[] | undefined;
}

/**
 * Pulls the space into a change request, if it is outdated, and resolves conflicts by taking a side; taking the space's
 * side creates a revision.
 * @returns the change request as it is now, with the conflicts that remain
 * @throws DomainError `not-found` naming a conflict that does not exist.
 */
export function resolveConflicts(
  ctx: SwapContext,
  target: MergeState['changeRequest'],
  load: LoadMergeState<MergeState>,
  resolution: Resolution,
  author: string,
): Promise<UpdateResult> {
  return changeAfterPull(ctx, { target, load }, async (work, { state, pull, buffer }) => {
    const { changeRequest, recorded } = state;
    const unresolved = unresolvedAfter(recorded, pull);
    const chosen = chooseConflicts(unresolved, resolution.conflicts);
    const [before] = await readRoots(work.db, [changeRequest.revision] as const);
    const current = pull?.revision.root ?? before;
    const root =
      resolution.take === 'theirs' && chosen.length > 0
        ? await acceptTheirs({ ...work, buffer }, current, chosen, pull)
        : current;
    const edits: NewRevision[] = root === current ? [] : [{ id: newId(), root, type: 'edits' }];
    const revisions = [...(pull ? [pull.revision] : []), ...edits];
    if (revisions.length === 0 && chosen.length === 0)
      return { result: { changeRequest, conflicts: unresolved } };
    const branch = { kind: 'change-request', id: changeRequest.id } as const;
    const advance: Advance = { branch, before, revisions, objects: buffer.pending, author };
    const save = async (tx: SaveContext, locked: LockedChangeRequest): Promise<UpdateResult> => {
      if (pull) locked.changeRequest.revisionMergedAncestor = locked.space.revision;
      if (revisions.length > 0) await tx.advance(locked.changeRequest, advance);
      else recordUpdate(tx.em, locked.changeRequest);
      if (edits.length > 0) await recordContribution(tx.em, changeRequest.id, author);
      await savePulledConflicts(tx.db, changeRequest.id, pull);
      await deleteResolvedConflicts(tx.db, changeRequest.id, chosen);
      return { changeRequest: locked.changeRequest, conflicts: await readConflicts(tx.db, changeRequest.id) };
    };
    return { advances: revisions.length > 0 ? [advance] : [], save };
  });
}

/** The conflicts with these ids, or all. @throws DomainError `not-found` naming one that does not exist */
function chooseConflicts(
  unresolved: readonly OpenConflict[],
  ids: readonly string[] | undefined,
): readonly OpenConflict[] {
  if (!ids) return unresolved;
  const known = new Set(unresolved.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound(`conflict as "${unknown}"`);
  const named = new Set(ids);
  return unresolved.filter(({ id }) => named.has(id));
}
