import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Revision } from '../../schema/entities/revision.ts';
import { Space } from '../../schema/entities/space.ts';
import { baseRevision } from '../change-requests/change-requests.api.ts';
import { type Db, kyselyOf } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import type { Batch, Effect } from './edit/batch.ts';
import type { ContentChange } from './edit/changes.api.ts';
import { changeError } from './edit/failures.ts';
import { applyBatch } from './edit/translate.ts';
import { objectReader, saveObjects } from './objects.operation.ts';
import { createRevision } from './revisions.operation.ts';
import { createObjectBuffer, type ObjectReader } from './store/objects.ts';
import { openSnapshot, type Snapshot } from './store/snapshot.ts';

/** What a caller asks for; the bytes of its files are stored. */
export interface ContentEdit {
  changes: readonly ContentChange[];
  files: Batch['files'];
  /** Id of the user whose revision it will be. */
  author: string;
}

export interface Edited {
  effects: readonly Effect[];
  /** The content after the edit. */
  snapshot: Snapshot;
}

/**
 * Edits the content of a space directly, as one revision that becomes active.
 * @throws DomainError `conflict` when the space is locked, and what {@link applyBatch} throws.
 */
export async function editSpace(
  em: SqlEntityManager,
  spaceId: string,
  edit: ContentEdit,
): Promise<Edited & { space: Space }> {
  const space = await em.findOne(Space, spaceId, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!space || space.deletedAt) throw notFound('space');
  if (space.editMode === 'locked') {
    throw new DomainError('conflict', 'The space is locked against direct edits; change requests are open.');
  }
  const base = await em.findOneOrFail(Revision, space.revision);
  const { revision, ...edited } = await applyEdit(em, base, edit, base.parents[0]);
  if (revision) space.revision = revision;
  await em.flush();
  return { ...edited, space };
}

/**
 * Edits the content of a change request as one revision of it, and records who did.
 * @throws DomainError `conflict` when it is archived or merged, and what {@link applyBatch} throws.
 */
export async function editChangeRequest(
  em: SqlEntityManager,
  changeRequestId: string,
  edit: ContentEdit,
): Promise<Edited & { changeRequest: ChangeRequest }> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const changeRequest = await em.findOne(ChangeRequest, changeRequestId, { lockMode });
  if (!changeRequest) throw notFound('change request');
  const { id, status } = changeRequest;
  if (status === 'archived' || status === 'merged') {
    throw new DomainError('conflict', `The change request is ${status}: its content cannot be edited.`);
  }
  const base = await em.findOneOrFail(Revision, changeRequest.revision);
  const { revision, ...edited } = await applyEdit(em, base, edit, baseRevision(changeRequest));
  if (revision) {
    changeRequest.revision = revision;
    await kyselyOf(em)
      .insertInto('change_request_contributor')
      .values({ change_request_id: id, user_id: edit.author, created_at: new Date() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await em.flush();
  return { ...edited, changeRequest };
}

/**
 * Saves the content that an edit makes of a revision's, and a revision with it, unless nothing changed. `origin` is the
 * revision that pages go back to where the change names none.
 */
async function applyEdit(
  em: SqlEntityManager,
  base: Revision,
  { changes, files, author }: ContentEdit,
  origin: string | undefined,
): Promise<Edited & { revision: string | undefined }> {
  const db = kyselyOf(em);
  const reader = objectReader(db);
  const reverts = await openReverts(db, reader, base.space, changes, origin);
  const buffer = createObjectBuffer(reader);
  const now = new Date().toISOString();
  const { root, effects } = await applyBatch(buffer, base.root, { changes, files, reverts, now });
  const snapshot = await openSnapshot(buffer, root);
  if (root === base.root) return { effects, snapshot, revision: undefined };
  await saveObjects(db, buffer.pending);
  const revision = createRevision(em, { space: base.space, root, type: 'edits', parents: [base.id], author });
  return { effects, snapshot, revision: revision.id };
}

/** Opens the revisions that changes take pages back from, by the index of the change, in one statement. */
async function openReverts(
  db: Db,
  reader: ObjectReader,
  space: string,
  changes: readonly ContentChange[],
  origin: string | undefined,
): Promise<Map<number, Snapshot>> {
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
  const reverts = new Map<number, Snapshot>();
  for (const { index, id } of wanted) {
    const root = id === undefined ? undefined : roots.get(id);
    if (root === undefined)
      throw changeError('not-found', `changes.${index}.revision`, 'There is no such revision.');
    reverts.set(index, await openSnapshot(reader, root));
  }
  return reverts;
}
