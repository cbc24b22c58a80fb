import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Revision } from '../../schema/entities/revision.ts';
import type { Space } from '../../schema/entities/space.ts';
import { objectReader, saveObjects } from '../branches/objects.operation.ts';
import { createRevision } from '../branches/revisions.operation.ts';
import { baseRevision } from '../change-requests/change-requests.api.ts';
import { recordContribution } from '../change-requests/change-requests.operation.ts';
import {
  dropConflicts,
  readConflicts,
  settleEditedConflicts,
  takeTheirs,
} from '../change-requests/conflicts.operation.ts';
import { lockChangeRequest, lockSpaceContent, requireActive } from '../change-requests/locked.operation.ts';
import { pullIntoChangeRequest } from '../change-requests/merge.operation.ts';
import { type Db, kyselyOf } from '../context.ts';
import type { Batch, Effect } from '../engine/edit/batch.ts';
import type { ContentChange } from '../engine/edit/changes.ts';
import { changeError } from '../engine/edit/failures.ts';
import { readResolutions } from '../engine/edit/resolutions.ts';
import { DomainError } from '../engine/errors.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** What a caller asks for; the bytes of its files are stored. */
export interface ContentEdit {
  changes: readonly ContentChange[];
  files: Batch['files'];
  /** Id of the user whose revision it will be. */
  author: string;
  engine: Engine;
}

export interface Edited {
  effects: readonly Effect[];
  /** The content after the edit. */
  snapshot: Snapshot;
}

/**
 * Edits the content of a space directly, as one revision that becomes active.
 * @throws DomainError `conflict` when the space is locked, and what the engine's `edit` throws.
 */
export async function editSpace(
  em: SqlEntityManager,
  spaceId: string,
  edit: ContentEdit,
): Promise<Edited & { space: Space }> {
  const db = kyselyOf(em);
  const space = await lockSpaceContent(em, spaceId);
  if (space.editMode === 'locked') {
    throw new DomainError('conflict', 'The space is locked against direct edits; change requests are open.');
  }
  const revision = await em.findOneOrFail(Revision, space.revision);
  const { pages } = readResolutions(edit.changes, []);
  const buffer = createObjectBuffer(objectReader(db));
  const base = { root: revision.root, space: space.id, origin: revision.parents[0], resolutions: pages };
  const { root, effects } = await applyEdit(db, buffer, base, edit);
  const made = await saveRevision(em, buffer, revision, root, edit.author);
  if (made) space.revision = made.id;
  await em.flush();
  return { effects, space, snapshot: await openSnapshot(buffer, root) };
}

/** A change request as it was before it was locked; its revision, where that was read, is not read again. */
interface SeenChangeRequest {
  id: string;
  space: string;
  content?: RevisionContent;
}

type RevisionContent = Pick<Revision, 'id' | 'root' | 'space'>;

/**
 * Edits the content of a change request as one revision of it, records who did, and settles the conflicts that the edit
 * is about. Where it resolves conflicts, it pulls the space in first: only then they stand.
 * @throws DomainError `conflict` when it is archived or merged, and what the engine's `edit` throws.
 */
export async function editChangeRequest(
  em: SqlEntityManager,
  seen: SeenChangeRequest,
  edit: ContentEdit,
): Promise<Edited & { changeRequest: ChangeRequest }> {
  const db = kyselyOf(em);
  const resolves = edit.changes.some(({ operation }) => operation === 'resolve_conflict');
  const changeRequest = resolves
    ? await lockUpToDate(em, seen, edit)
    : await lockChangeRequestAlone(em, seen);
  const standing = resolves ? await readConflicts(db, seen.id) : [];
  const { resolved, theirs, pages } = readResolutions(edit.changes, standing);
  const isUnchanged = seen.content?.id === changeRequest.revision;
  const revision =
    (isUnchanged && seen.content) || (await em.findOneOrFail(Revision, changeRequest.revision));
  const buffer = createObjectBuffer(objectReader(db));
  const settled =
    theirs.length > 0 ? await takeTheirs(db, edit.engine, buffer, revision.root, theirs) : revision.root;
  const base = { root: settled, space: seen.space, origin: baseRevision(changeRequest), resolutions: pages };
  const { root, effects } = await applyEdit(db, buffer, base, edit);
  const made = await saveRevision(em, buffer, revision, root, edit.author);
  if (made) {
    changeRequest.revision = made.id;
    await recordContribution(em, seen.id, edit.author);
  }
  await em.flush();
  await dropConflicts(db, seen.id, resolved);
  // Only an update from the space leaves conflicts.
  if (changeRequest.revisionMergedAncestor) await settleEditedConflicts(db, seen.id, settled, root);
  return { effects, changeRequest, snapshot: await openSnapshot(buffer, root) };
}

/** Not the space: edits of change requests neither wait for one another nor for merges of others. */
async function lockChangeRequestAlone(em: SqlEntityManager, { id }: { id: string }): Promise<ChangeRequest> {
  await kyselyOf(em)
    .selectFrom('change_request')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute();
  const changeRequest = await em.findOneOrFail(ChangeRequest, id);
  requireActive(changeRequest);
  return changeRequest;
}

async function lockUpToDate(
  em: SqlEntityManager,
  seen: { id: string; space: string },
  { engine, author }: ContentEdit,
): Promise<ChangeRequest> {
  const locked = await lockChangeRequest(em, seen);
  requireActive(locked.changeRequest);
  await pullIntoChangeRequest(em, engine, locked, author);
  return locked.changeRequest;
}

/** A root to edit, in a space; `origin` is the revision that pages go back to where a change names none. */
interface Base {
  root: string;
  space: string;
  origin: string | undefined;
  resolutions: Batch['resolutions'];
}

async function applyEdit(
  db: Db,
  buffer: ObjectBuffer,
  { root, space, origin, resolutions }: Base,
  { changes, files, engine }: ContentEdit,
): Promise<{ root: string; effects: Effect[] }> {
  const reverts = await readReverts(db, space, changes, origin);
  const now = new Date().toISOString();
  return engine.run('edit', { root, changes, files, reverts, resolutions, now }, buffer);
}

/** Saves new content with a revision of it; undefined where nothing changed. */
async function saveRevision(
  em: SqlEntityManager,
  buffer: ObjectBuffer,
  before: RevisionContent,
  root: string,
  author: string,
): Promise<Revision | undefined> {
  if (root === before.root) return undefined;
  await saveObjects(kyselyOf(em), buffer.pending);
  return createRevision(em, { space: before.space, root, type: 'edits', parents: [before.id], author });
}

/** The roots of the revisions that changes take pages back from, by the index of the change, in one statement. */
async function readReverts(
  db: Db,
  space: string,
  changes: readonly ContentChange[],
  origin: string | undefined,
): Promise<Map<number, string>> {
  const wanted = changes.flatMap((change, index) =>
    change.operation === 'revert_page' ? [{ index, id: change.revision ?? origin }] : [],
  );
  const ids = [...new Set(wanted.flatMap(({ id }) => id ?? []))];
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('revision')
          .select(['id', 'root'])
          .where('space_id', '=', space)
          .where('id', 'in', ids)
          .execute();
  const roots = new Map(rows.map(({ id, root }) => [id, root]));
  const reverts = new Map<number, string>();
  for (const { index, id } of wanted) {
    const root = id === undefined ? undefined : roots.get(id);
    if (root === undefined)
      throw changeError('not-found', `changes.${index}.revision`, 'There is no such revision.');
    reverts.set(index, root);
  }
  return reverts;
}
