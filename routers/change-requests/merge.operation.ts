import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import type { Db } from '../base/db.ts';
import type { Computing } from '../base/hooks.ts';
import type { Advance } from '../branches/advance.operation.ts';
import {
  type Caller,
  compareAndSwap,
  type Plan,
  type Saving,
} from '../branches/compare-and-swap.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRevisions, readRoots } from '../branches/roots.query.ts';
import { DomainError } from '../engine/errors.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { recordEvent } from '../events/record.operation.ts';
import { baseRevision } from './change-requests.api.ts';
import { changeStatus } from './change-requests.operation.ts';
import { hasConflicts, readConflicts, saveConflicts } from './conflicts.operation.ts';
import { type Locked, lockChangeRequest } from './locked.operation.ts';
import { type OpenConflict, type Pull, pullContent } from './pull.ts';

/** A change request and its space, by their active revisions. */
export interface Sides {
  changeRequest: Parameters<typeof baseRevision>[0] & { id: string; space: string; revision: string };
  space: { revision: string };
}

/** Reads a change request with its space, if the caller may do with it what they want to. */
export type LoadSides<Loaded extends Sides> = (db: Db) => Promise<Loaded>;

/** What a result depends on, when it is computed from both sides. */
export const revisionsOf = ({ space, changeRequest }: Sides) => [space.revision, changeRequest.revision];

/** Whether the space has changed since the change request started or last pulled it in. */
export const isOutdated = ({ changeRequest, space }: Sides): boolean =>
  baseRevision(changeRequest) !== space.revision;

/** An update of a change request from its space; undefined if it is not outdated. */
export async function pullFromSpace(
  { db, engine }: Computing,
  buffer: ObjectBuffer,
  sides: Sides,
): Promise<Pull | undefined> {
  if (!isOutdated(sides)) return undefined;
  const { changeRequest, space } = sides;
  const ids = [baseRevision(changeRequest), changeRequest.revision, space.revision] as const;
  const [base, ours, theirs] = await readRevisions(db, ids);
  return pullContent(engine, buffer, { base, ours, theirs });
}

/** The conflicts of a change request with what it has not pulled in yet. */
export async function findConflicts(db: Db, engine: Engine, sides: Sides): Promise<readonly Conflict[]> {
  const pull = await pullFromSpace({ db, engine }, createObjectBuffer(objectReader(db)), sides);
  return pull?.conflicts ?? [];
}

/**
 * Merges a change request into its space.
 * @returns the revision that is active now, or the sides that conflict; nothing is changed then
 */
export function mergeChangeRequest<Loaded extends Sides>(
  ctx: Caller,
  seen: Sides['changeRequest'],
  load: LoadSides<Loaded>,
  author: string,
): Promise<{ revision: string } | { conflicting: Loaded }> {
  type Result = { revision: string } | { conflicting: Loaded };
  return compareAndSwap(ctx, {
    branch: seen.space,
    read: load,
    facts: (sides) => revisionsOf(sides),
    async compute({ db, engine }, sides): Promise<Plan<Loaded, Locked, Result>> {
      const { space, changeRequest } = sides;
      // Only an update leaves conflicts.
      if (changeRequest.revisionMergedAncestor && (await hasConflicts(db, changeRequest.id)))
        return { result: { conflicting: sides } };
      const ids = [baseRevision(changeRequest), space.revision, changeRequest.revision] as const;
      const [base, ours, theirs] = await readRoots(db, ids);
      const buffer = createObjectBuffer(objectReader(db));
      const { root, conflicts } = await engine.run('merge', { base, ours, theirs }, buffer);
      if (conflicts.length > 0) return { result: { conflicting: sides } };
      const revision = newId();
      const advance: Advance = {
        branch: { kind: 'space', id: changeRequest.space },
        before: ours,
        revisions: [{ id: revision, root, type: 'merge', merged: changeRequest.revision }],
        objects: buffer.pending,
        author,
      };
      const save = async ({ em, ...tx }: Saving, locked: Locked): Promise<Result> => {
        locked.changeRequest.revisionMerged = revision;
        changeStatus(em, locked, 'merged');
        await tx.advance(locked.space, advance);
        const about = { space: locked.space.id, changeRequest: changeRequest.id, actor: author };
        recordEvent(em, { type: 'change_request.merged', ...about, revision });
        return { revision };
      };
      return { advances: [advance], save };
    },
    lock: (em) => lockChangeRequest(em, seen),
  });
}

/** The same with the conflicts that are recorded. */
export type SidesWithConflicts = Sides & { recorded: readonly OpenConflict[] };

async function readWithConflicts(db: Db, load: LoadSides<Sides>): Promise<SidesWithConflicts> {
  const sides = await load(db);
  return { ...sides, recorded: await readConflicts(db, sides.changeRequest.id) };
}

/** A change of a change request that starts from an update from its space, where that is needed. */
interface FromUpdate {
  seen: Sides['changeRequest'];
  load: LoadSides<Sides>;
}

/** What such a change is computed from. */
export interface Pulled {
  sides: SidesWithConflicts;
  /** Undefined if the change request is not outdated. */
  pull: Pull | undefined;
  buffer: ObjectBuffer;
}

/** Changes a change request by compare-and-swap, from an update from its space, where that is needed. */
export const changeUpdated = (
  ctx: Caller,
  { seen, load }: FromUpdate,
  plan: (work: Computing, pulled: Pulled) => Promise<Plan<SidesWithConflicts, Locked, Updated>>,
): Promise<Updated> =>
  compareAndSwap(ctx, {
    branch: seen.id,
    read: (db) => readWithConflicts(db, load),
    facts: (sides) => revisionsOf(sides),
    async compute(work, sides) {
      const buffer = createObjectBuffer(objectReader(work.db));
      const pull = await pullFromSpace(work, buffer, sides);
      return plan(work, { sides, pull, buffer });
    },
    lock: (em) => lockChangeRequest(em, seen),
  });

/** A change request that was brought up to date, and its unresolved conflicts. */
export interface Updated {
  changeRequest: { id: string; revision: string };
  conflicts: readonly OpenConflict[];
}

/**
 * Pulls the content of the space into a change request, which keeps its own side of each conflict.
 * @returns it as it is now, with the conflicts that stand
 */
export function updateFromSpace(
  ctx: Caller,
  seen: Sides['changeRequest'],
  load: LoadSides<Sides>,
  author: string,
): Promise<Updated> {
  return changeUpdated(ctx, { seen, load }, async (_, { sides, pull, buffer }) => {
    const { changeRequest, recorded } = sides;
    if (!pull) return { result: { changeRequest, conflicts: recorded } };
    const advance: Advance = {
      branch: { kind: 'change-request', id: changeRequest.id },
      before: pull.parents.ours.root,
      revisions: [pull.revision],
      objects: buffer.pending,
      author,
    };
    const save = async (tx: Saving, locked: Locked): Promise<Updated> => {
      locked.changeRequest.revisionMergedAncestor = locked.space.revision;
      await tx.advance(locked.changeRequest, advance);
      await saveConflicts(tx.db, changeRequest.id, pull.conflicts);
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
  ctx: Caller,
  spaceId: string,
  load: (db: Db) => Promise<{ space: { revision: string }; merge: MergeRevision }>,
  author: string,
): Promise<string> {
  return compareAndSwap(ctx, {
    branch: spaceId,
    read: load,
    facts: ({ space }) => [space.revision],
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
      const save = async (tx: Saving, locked: Space) => {
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
