import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import type { Db } from '../base/db.ts';
import type { ComputeContext } from '../base/hooks.ts';
import type { Advance } from '../branches/advance.operation.ts';
import {
  compareAndSwap,
  type Plan,
  type SaveContext,
  type SwapContext,
} from '../branches/compare-and-swap.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRevisions, readRoots } from '../branches/roots.query.ts';
import { DomainError } from '../engine/errors.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import { recordEvent } from '../events/record.operation.ts';
import { baseRevision } from './change-requests.api.ts';
import { changeStatus } from './change-requests.operation.ts';
import { deleteConflicts, readConflicts, savePulledConflicts } from './conflicts.operation.ts';
import { type LockedChangeRequest, lockChangeRequest } from './lock.operation.ts';
import { type OpenConflict, originOf, pullContent, type SpacePull, unresolvedAfter } from './pull.ts';
import { findSettledConflicts } from './settled-conflicts.query.ts';

/** The active revisions of a change request and of its space, which a merge starts from. */
export interface MergeState {
  changeRequest: Parameters<typeof baseRevision>[0] & { id: string; space: string; revision: string };
  space: { revision: string };
}

/** Reads a change request with its space, and checks the caller's permission. */
export type LoadMergeState<Loaded extends MergeState> = (db: Db) => Promise<Loaded>;

/** The revisions that a result depends on which is computed from both sides. */
export const revisionsOf = ({ space, changeRequest }: MergeState) => [space.revision, changeRequest.revision];

/** Whether the space has changed since the change request started or last pulled it in. */
export const isOutdated = ({ changeRequest, space }: MergeState): boolean =>
  baseRevision(changeRequest) !== space.revision;

/** Computes the update of a change request from its space; undefined if it is not outdated. */
export async function pullFromSpace(
  { db, engine }: ComputeContext,
  buffer: ObjectBuffer,
  state: MergeStateWithConflicts,
): Promise<SpacePull | undefined> {
  if (!isOutdated(state)) return undefined;
  const { changeRequest, space, recorded } = state;
  const ids = [baseRevision(changeRequest), changeRequest.revision, space.revision] as const;
  const [base, ours, theirs] = await readRevisions(db, ids);
  const pull = await pullContent(engine, buffer, { base, ours, theirs });
  if (recorded.length === 0) return { ...pull, settled: [] };
  const content = { ours: pull.revision.root, theirs: theirs.root };
  const settled = await findSettledConflicts({ db, engine }, buffer, recorded, content);
  const ended = new Set(settled.map(({ id }) => id));
  const earlier = new Map(recorded.filter(({ isImported }) => !isImported).map((one) => [one.id, one]));
  const conflicts = pull.conflicts
    .filter(({ id }) => !ended.has(id))
    .map((conflict) => ({ ...conflict, origin: originOf(earlier.get(conflict.id) ?? conflict) }));
  return { ...pull, conflicts, settled };
}

/**
 * Merges a change request into its space.
 * @returns the new active revision, or the state in which both sides conflict, in which case nothing is changed
 */
export function mergeChangeRequest<Loaded extends MergeState>(
  ctx: SwapContext,
  target: MergeState['changeRequest'],
  load: LoadMergeState<Loaded>,
  author: string,
): Promise<{ revision: string } | { conflicting: Loaded }> {
  type Result = { revision: string } | { conflicting: Loaded };
  return compareAndSwap(ctx, {
    branch: target.space,
    read: load,
    preconditions: (state) => revisionsOf(state),
    async compute(work, state): Promise<Plan<Loaded, LockedChangeRequest, Result>> {
      const { db, engine } = work;
      const { space, changeRequest } = state;
      // Only an update leaves conflicts.
      const mayConflict = Boolean(changeRequest.revisionMergedAncestor);
      const recorded = mayConflict ? await readConflicts(db, changeRequest.id) : [];
      const buffer = createObjectBuffer(objectReader(db));
      // Those that remain must be resolved; if later changes of the space settle all of them, the update resolves them.
      const pull =
        recorded.length > 0 ? await pullFromSpace(work, buffer, { ...state, recorded }) : undefined;
      if (unresolvedAfter(recorded, pull).length > 0) return { result: { conflicting: state } };
      const base = pull ? space.revision : baseRevision(changeRequest);
      const ids = [base, space.revision, changeRequest.revision] as const;
      const [ancestor, ours, current] = await readRoots(db, ids);
      const sides = { base: ancestor, ours, theirs: pull?.revision.root ?? current };
      const { root, conflicts } = await engine.run('merge', sides, buffer);
      if (conflicts.length > 0) return { result: { conflicting: state } };
      const revision = newId();
      const advance: Advance = {
        branch: { kind: 'space', id: changeRequest.space },
        before: ours,
        revisions: [{ id: revision, root, type: 'merge', merged: changeRequest.revision }],
        objects: buffer.pending,
        author,
      };
      const save = async ({ em, ...tx }: SaveContext, locked: LockedChangeRequest): Promise<Result> => {
        await deleteConflicts(tx.db, changeRequest.id, recorded);
        locked.changeRequest.revisionMerged = revision;
        await changeStatus(em, locked, 'merged');
        await tx.advance(locked.space, advance);
        const about = { space: locked.space.id, changeRequest: changeRequest.id, actor: author };
        recordEvent(em, { type: 'change_request.merged', ...about, revision });
        return { revision };
      };
      return { advances: [advance], save };
    },
    lock: (em) => lockChangeRequest(em, target),
  });
}

/** The same, with the recorded conflicts. */
export type MergeStateWithConflicts = MergeState & { recorded: readonly OpenConflict[] };

async function loadWithConflicts(db: Db, load: LoadMergeState<MergeState>): Promise<MergeStateWithConflicts> {
  const state = await load(db);
  return { ...state, recorded: await readConflicts(db, state.changeRequest.id) };
}

/** The change request to be changed once it is up to date with its space. */
interface PullTarget {
  target: MergeState['changeRequest'];
  load: LoadMergeState<MergeState>;
}

/** What such a change is computed from. New objects go to the buffer. */
export interface PulledState {
  state: MergeStateWithConflicts;
  /** Undefined if the change request is not outdated. */
  pull: SpacePull | undefined;
  buffer: ObjectBuffer;
}

/** Changes a change request by compare-and-swap; if it is outdated, pulls in its space first. */
export const changeAfterPull = (
  ctx: SwapContext,
  { target, load }: PullTarget,
  plan: (
    work: ComputeContext,
    pulled: PulledState,
  ) => Promise<Plan<MergeStateWithConflicts, LockedChangeRequest, UpdateResult>>,
): Promise<UpdateResult> =>
  compareAndSwap(ctx, {
    branch: target.id,
    read: (db) => loadWithConflicts(db, load),
    preconditions: (state) => revisionsOf(state),
    async compute(work, state) {
      const buffer = createObjectBuffer(objectReader(work.db));
      const pull = await pullFromSpace(work, buffer, state);
      return plan(work, { state, pull, buffer });
    },
    lock: (em) => lockChangeRequest(em, target),
  });

/** A change request that was brought up to date, and its unresolved conflicts. */
export interface UpdateResult {
  changeRequest: { id: string; revision: string };
  conflicts: readonly OpenConflict[];
}

/**
 * Pulls the content of the space into a change request, which keeps its own side of each conflict.
 * @returns the change request as it is now, with its unresolved conflicts
 */
export function updateFromSpace(
  ctx: SwapContext,
  target: MergeState['changeRequest'],
  load: LoadMergeState<MergeState>,
  author: string,
): Promise<UpdateResult> {
  return changeAfterPull(ctx, { target, load }, async (_, { state, pull, buffer }) => {
    const { changeRequest, recorded } = state;
    if (!pull) return { result: { changeRequest, conflicts: recorded } };
    const advance: Advance = {
      branch: { kind: 'change-request', id: changeRequest.id },
      before: pull.parents.ours.root,
      revisions: [pull.revision],
      objects: buffer.pending,
      author,
    };
    const save = async (tx: SaveContext, locked: LockedChangeRequest): Promise<UpdateResult> => {
      locked.changeRequest.revisionMergedAncestor = locked.space.revision;
      await tx.advance(locked.changeRequest, advance);
      await savePulledConflicts(tx.db, changeRequest.id, pull);
      return { changeRequest: locked.changeRequest, conflicts: await readConflicts(tx.db, changeRequest.id) };
    };
    return { advances: [advance], save };
  });
}

/** A merge that may be reverted. */
interface MergeRevision {
  root: string;
  parents: readonly string[];
}

/**
 * Reverts a merge in a space as a new revision, keeping later changes.
 * @param load reads the space, if the caller may revert merges there, and the merge
 * @returns the id of the new revision
 * @throws DomainError `conflict` if there is nothing left to undo, or later changes touch the same content; the details
 *   name each place.
 */
export function revertMerge(
  ctx: SwapContext,
  spaceId: string,
  load: (db: Db) => Promise<{ space: { revision: string }; merge: MergeRevision }>,
  author: string,
): Promise<string> {
  return compareAndSwap(ctx, {
    branch: spaceId,
    read: load,
    preconditions: ({ space }) => [space.revision],
    async compute({ db, engine }, { space, merge }) {
      const [active, before] = await readRoots(db, [space.revision, merge.parents[0] as string] as const);
      const buffer = createObjectBuffer(objectReader(db));
      const sides = { base: merge.root, ours: active, theirs: before };
      const { root, conflicts } = await engine.run('merge', sides, buffer);
      if (conflicts.length > 0) {
        const message = 'The merge cannot be undone: later changes touch the same content.';
        throw new DomainError('conflict', message, conflicts.map(describePlace));
      }
      if (root === active)
        throw new DomainError(
          'conflict',
          'There is nothing to undo: none of the changes of the merge remain.',
        );
      const revision = newId();
      const advance: Advance = {
        branch: { kind: 'space', id: spaceId },
        before: active,
        revisions: [{ id: revision, root, type: 'rollback' }],
        objects: buffer.pending,
        author,
      };
      const save = async (tx: SaveContext, locked: Space) => {
        await tx.advance(locked, advance);
        return revision;
      };
      return { advances: [advance], save };
    },
    lock: (em) => lockSpace(em, spaceId),
  });
}

/** The place of a conflict in the details of an error: `pages.<id>.title`. */
function describePlace(conflict: Conflict): { path: string; message: string } {
  const { kind, page, file, reusableContent, variable, block, field } = conflict;
  const owner = page
    ? ['pages', page]
    : file
      ? ['files', file]
      : reusableContent
        ? ['reusableContents', reusableContent]
        : ['variables', variable];
  const path = [...owner, block, field].filter((part) => part !== undefined).join('.');
  return { path, message: `was changed after the merge (${kind})` };
}
