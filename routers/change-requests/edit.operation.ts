import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Revision } from '../../schema/entities/revision.ts';
import type { Work } from '../branches/advance.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { applyEdit, type ContentEdit, type Edited, saveEdit } from '../content/edit.operation.ts';
import { kyselyOf } from '../context.ts';
import { readResolutions } from '../engine/edit/resolutions.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { lockRow } from '../lock-row.ts';
import { baseRevision } from './change-requests.api.ts';
import { recordContribution } from './change-requests.operation.ts';
import { acceptTheirs, dropConflicts, readConflicts, settleEditedConflicts } from './conflicts.operation.ts';
import { lockChangeRequest, requireActive } from './locked.operation.ts';
import { updateFromSpace } from './merge.operation.ts';

/** A change request as it was before it was locked; its revision, where that was read, is not read again. */
interface SeenChangeRequest {
  id: string;
  space: string;
  content?: RevisionContent;
}

type RevisionContent = Pick<Revision, 'id' | 'root' | 'space'>;

/**
 * Edits the content of a change request as one revision of it, records the contributor, and resolves the conflicts that
 * the edit is about. If it takes sides of conflicts, the space is pulled in first: only then are all of them recorded.
 * @throws DomainError `conflict` when it is archived or merged, and what the engine's `edit` throws.
 */
export async function editChangeRequest(
  work: Work,
  seen: SeenChangeRequest,
  edit: ContentEdit,
): Promise<Edited & { changeRequest: ChangeRequest }> {
  const { em, engine } = work;
  const db = kyselyOf(em);
  const resolves = edit.changes.some(({ operation }) => operation === 'resolve_conflict');
  const changeRequest = resolves
    ? await lockUpToDate(work, seen, edit.author)
    : await lockChangeRequestAlone(em, seen);
  const standing = resolves ? await readConflicts(db, seen.id) : [];
  const { resolved, theirs, pages } = readResolutions(edit.changes, standing);
  const isUnchanged = seen.content?.id === changeRequest.revision;
  const revision =
    (isUnchanged && seen.content) || (await em.findOneOrFail(Revision, changeRequest.revision));
  const buffer = createObjectBuffer(objectReader(db));
  const settled =
    theirs.length > 0 ? await acceptTheirs(db, engine, buffer, revision.root, theirs) : revision.root;
  const base = { root: settled, space: seen.space, origin: baseRevision(changeRequest), resolutions: pages };
  const { root, effects } = await applyEdit(work, buffer, base, edit);
  const { author } = edit;
  if (await saveEdit(work, changeRequest, { before: revision.root, root, buffer, author })) {
    await recordContribution(em, seen.id, author);
  }
  await dropConflicts(db, seen.id, resolved);
  // Only an update from the space leaves conflicts.
  if (changeRequest.revisionMergedAncestor) await settleEditedConflicts(db, seen.id, settled, root);
  return { effects, changeRequest, snapshot: await openSnapshot(buffer, root) };
}

/** The space is not locked: edits of change requests wait neither for each other nor for merges of others. */
async function lockChangeRequestAlone(em: SqlEntityManager, { id }: { id: string }): Promise<ChangeRequest> {
  const changeRequest = await lockRow(em, ChangeRequest, id, 'change request');
  requireActive(changeRequest);
  return changeRequest;
}

async function lockUpToDate(
  work: Work,
  seen: { id: string; space: string },
  author: string,
): Promise<ChangeRequest> {
  const locked = await lockChangeRequest(work.em, seen);
  requireActive(locked.changeRequest);
  await updateFromSpace(work, locked, author);
  return locked.changeRequest;
}
