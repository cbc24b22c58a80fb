import type { Revision } from '../../schema/entities/revision.ts';
import type { Space } from '../../schema/entities/space.ts';
import { advance, type Work } from '../branches/advance.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { type Db, kyselyOf } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { MergeResult } from '../engine/merge/snapshots.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { recordEvent } from '../events/record.operation.ts';
import { baseRevision } from './change-requests.api.ts';
import { changeStatus } from './change-requests.operation.ts';
import { hasConflicts, saveConflicts } from './conflicts.operation.ts';
import type { Locked } from './locked.operation.ts';

/** The roots of a change request and its space. */
export interface Sides {
  changeRequest: Parameters<typeof baseRevision>[0] & { id: string; revision: string };
  space: { revision: string };
}

/** Whether the space has changed since the change request started or last pulled it in. */
export const isOutdated = ({ changeRequest, space }: Sides): boolean =>
  baseRevision(changeRequest) !== space.revision;

/**
 * The result of an update of a change request: what merges cleanly, and its own side of each conflict, in which it is
 * `ours` and the space `theirs`. Writes only to the buffer.
 */
async function pullContent(
  db: Db,
  engine: Engine,
  buffer: ObjectBuffer,
  { changeRequest, space }: Sides,
): Promise<MergeResult> {
  const ids = [baseRevision(changeRequest), changeRequest.revision, space.revision] as const;
  const [base, ours, theirs] = await readRoots(db, ids);
  return engine.run('merge', { base, ours, theirs }, buffer);
}

/** The conflicts of a change request with what it has not pulled in yet. */
export async function findConflicts(db: Db, engine: Engine, sides: Sides): Promise<readonly Conflict[]> {
  if (!isOutdated(sides)) return [];
  return (await pullContent(db, engine, createObjectBuffer(objectReader(db)), sides)).conflicts;
}

/**
 * Merges a locked change request into its space.
 * @returns the id of the revision that is active now; undefined if there are conflicts; nothing is changed then.
 */
export async function mergeChangeRequest(
  work: Work,
  locked: Locked,
  author: string,
): Promise<string | undefined> {
  const { em, engine } = work;
  const { space, changeRequest } = locked;
  const db = kyselyOf(em);
  // Only an update leaves conflicts.
  if (changeRequest.revisionMergedAncestor && (await hasConflicts(db, changeRequest.id))) return undefined;
  const ids = [baseRevision(changeRequest), space.revision, changeRequest.revision] as const;
  const [base, active, proposed] = await readRoots(db, ids);
  const buffer = createObjectBuffer(objectReader(db));
  const sides = { base, ours: active, theirs: proposed };
  const { root, conflicts } = await engine.run('merge', sides, buffer);
  if (conflicts.length > 0) return undefined;
  const { revision } = await advance(work, space, {
    root,
    objects: buffer.pending,
    type: 'merge',
    author,
    merged: changeRequest.revision,
  });
  changeRequest.revisionMerged = revision.id;
  changeStatus(em, locked, 'merged');
  const about = { space: space.id, changeRequest: changeRequest.id, actor: author };
  recordEvent(em, { type: 'change_request.merged', ...about, revision: revision.id });
  await em.flush();
  return revision.id;
}

/** Pulls the content of the space into a locked change request, which keeps its own side of each conflict. */
export async function updateFromSpace(
  work: Work,
  { space, changeRequest }: Locked,
  author: string,
): Promise<void> {
  if (!isOutdated({ space, changeRequest })) return;
  const db = kyselyOf(work.em);
  const base = baseRevision(changeRequest);
  const buffer = createObjectBuffer(objectReader(db));
  const { root, conflicts } = await pullContent(db, work.engine, buffer, { changeRequest, space });
  changeRequest.revisionMergedAncestor = space.revision;
  const { revision } = await advance(work, changeRequest, {
    root,
    objects: buffer.pending,
    type: 'update',
    author,
    merged: space.revision,
  });
  await saveConflicts(db, changeRequest.id, { update: revision.id, base }, conflicts);
}

/**
 * Reverts a merge in a locked space as a new revision, keeping later changes.
 * @throws DomainError `conflict` if there is nothing left to undo, or later changes touch the same content; the details
 *   name each place.
 */
export async function revertMerge(
  work: Work,
  space: Space,
  merge: { root: string; parents: readonly string[] },
  author: string,
): Promise<Revision> {
  const db = kyselyOf(work.em);
  const [active, before] = await readRoots(db, [space.revision, merge.parents[0] as string] as const);
  const buffer = createObjectBuffer(objectReader(db));
  const sides = { base: merge.root, ours: active, theirs: before };
  const { root, conflicts } = await work.engine.run('merge', sides, buffer);
  if (conflicts.length > 0) {
    const message = 'The merge cannot be undone: later changes touch the same content.';
    throw new DomainError('conflict', message, conflicts.map(describePlace));
  }
  if (root === active)
    throw new DomainError('conflict', 'There is nothing to undo: none of the changes of the merge remain.');
  const next = { root, objects: buffer.pending, type: 'rollback', author } as const;
  return (await advance(work, space, next)).revision;
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
