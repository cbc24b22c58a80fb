import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { newId } from '../../schema/ids.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Advance, NewRevision } from '../branches/advance.operation.ts';
import {
  compareAndSwap,
  type Plan,
  type SaveContext,
  type SwapContext,
} from '../branches/compare-and-swap.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { applyEdit, type ContentEdit, type EditResult, editApplier } from '../content/edit.operation.ts';
import { collectResolutions, effectsOfSides } from '../engine/edit/resolutions.ts';
import { diffSnapshots } from '../engine/store/diff.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { lockRow } from '../sql/lock-row.ts';
import { baseRevision } from './change-requests.api.ts';
import { recordContribution, recordUpdate } from './change-requests.operation.ts';
import {
  acceptTheirs,
  deleteConflicts,
  deleteResolvedConflicts,
  readConflicts,
  savePulledConflicts,
} from './conflicts.operation.ts';
import { conflictsTouchedBy } from './conflicts.ts';
import { loadActive, lockChangeRequest } from './lock.operation.ts';
import {
  type LoadMergeState,
  type MergeState,
  type MergeStateWithConflicts,
  pullFromSpace,
  revisionsOf,
} from './merge.operation.ts';
import { unresolvedAfter } from './pull.ts';

interface Locked {
  changeRequest: ChangeRequest;
}

/** The result of an edit, with the change request as it is now and the active revision of its space. */
export interface EditedChangeRequest extends EditResult {
  changeRequest: Presentable<ChangeRequest>;
  spaceRevision: string;
}

type Read = LoadedMergeState & Pick<MergeStateWithConflicts, 'recorded'>;

interface LoadedMergeState extends MergeState {
  changeRequest: MergeState['changeRequest'] & Presentable<ChangeRequest>;
  space: MergeState['space'] & { id: string; organization: string };
}

/**
 * Edits the content of a change request as one revision, records the contributor, and resolves the conflicts that the
 * edit touches. If it takes sides in conflicts, the space is pulled in first: only then are all conflicts recorded.
 * @param load reads the change request with its space, if the caller may edit it
 * @throws DomainError `conflict` when it is archived or merged, and what the engine's `edit` throws.
 */
export function editChangeRequest(
  ctx: SwapContext,
  target: MergeState['changeRequest'],
  load: LoadMergeState<LoadedMergeState>,
  edit: ContentEdit,
): Promise<EditedChangeRequest> {
  const { author, changes } = edit;
  const resolves = changes.some(({ operation }) => operation === 'resolve_conflict');
  const apply = resolves ? applyAnew(ctx, edit) : editApplier(ctx, edit);
  return compareAndSwap(ctx, {
    branch: target.id,
    async read(db): Promise<Read> {
      const state = await loadActive(load)(db);
      // Only an update from the space leaves conflicts.
      const mayConflict = resolves || state.changeRequest.revisionMergedAncestor;
      return { ...state, recorded: mayConflict ? await readConflicts(db, target.id) : [] };
    },
    preconditions: (state) => (resolves ? revisionsOf(state) : [state.changeRequest.revision]),
    async compute(work, state): Promise<Plan<Read, Locked, EditedChangeRequest>> {
      const { changeRequest, space, recorded } = state;
      const buffer = createObjectBuffer(objectReader(work.db));
      const pulled = resolves ? await pullFromSpace(work, buffer, state) : undefined;
      const unresolved = unresolvedAfter(recorded, pulled);
      const resolutions = collectResolutions(changes, unresolved);
      const { resolved, theirs, pages } = resolutions;
      const [before] = await readRoots(work.db, [changeRequest.revision] as const);
      const current = pulled?.revision.root ?? before;
      const resolvedRoot =
        theirs.length > 0 ? await acceptTheirs({ ...work, buffer }, current, theirs, pulled) : current;
      const origin = pulled ? space.revision : baseRevision(changeRequest);
      const base = { root: resolvedRoot, space, origin, resolutions: pages };
      const { root, effects: ofChanges } = await apply(work, buffer, base);
      const roots = { before, pulled: current, resolved: resolvedRoot };
      const ofSides = await effectsOfSides(buffer, roots, resolutions);
      const effects = [...ofSides, ...ofChanges].toSorted((a, b) => a.index - b.index);
      const result = { effects, snapshot: await openSnapshot(buffer, root), spaceRevision: space.revision };

      const touched =
        unresolved.length > 0
          ? conflictsTouchedBy(unresolved, await diffSnapshots(buffer, resolvedRoot, root))
          : [];
      const edits: NewRevision[] = root === current ? [] : [{ id: newId(), root, type: 'edits' }];
      const revisions = [...(pulled ? [pulled.revision] : []), ...edits];
      if (revisions.length + resolved.length + touched.length === 0)
        return { result: { ...result, changeRequest } };
      const branch = { kind: 'change-request', id: target.id } as const;
      const advance: Advance = { branch, before, revisions, objects: buffer.pending, author };
      const save = async (tx: SaveContext, locked: Locked) => {
        if (pulled) locked.changeRequest.revisionMergedAncestor = space.revision;
        if (revisions.length > 0) await tx.advance(locked.changeRequest, advance);
        else recordUpdate(tx.em, locked.changeRequest);
        if (edits.length > 0) await recordContribution(tx.em, target.id, author);
        await savePulledConflicts(tx.db, target.id, pulled);
        await deleteResolvedConflicts(tx.db, target.id, resolved);
        await deleteConflicts(tx.db, target.id, touched);
        return { ...result, changeRequest: locked.changeRequest };
      };
      return { advances: revisions.length > 0 ? [advance] : [], save };
    },
    // The space is locked only if it is pulled in: other edits do not have to wait for merges.
    lock: async (em) =>
      resolves
        ? lockChangeRequest(em, target)
        : { changeRequest: await lockRow(em, ChangeRequest, target.id, 'change request') },
  });
}

/** Applies an edit again on each attempt, because what it resolves depends on the conflicts at that time. */
const applyAnew =
  (ctx: SwapContext, edit: ContentEdit): ReturnType<typeof editApplier> =>
  (work, buffer, base) =>
    applyEdit(ctx, work, buffer, base, edit);
