import { Revision } from '../../schema/entities/revision.ts';
import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import { advance, type Branch, type Work } from '../branches/advance.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { type Db, kyselyOf } from '../context.ts';
import { type Batch, countInsertions, type Effect } from '../engine/edit/batch.ts';
import type { EditChange } from '../engine/edit/changes.ts';
import { changeError } from '../engine/edit/failures.ts';
import { readResolutions } from '../engine/edit/resolutions.ts';
import { DomainError } from '../engine/errors.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';
import { requireKnownClaims } from './conditions.query.ts';

/** The requested changes; the bytes of their files are already stored. */
export interface ContentEdit {
  changes: readonly EditChange[];
  files: Batch['files'];
  /** Id of the author of the revision. */
  author: string;
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
  work: Work,
  spaceId: string,
  edit: ContentEdit,
): Promise<Edited & { space: Space }> {
  const { em } = work;
  const space = await lockSpace(em, spaceId);
  if (space.editMode === 'locked') {
    throw new DomainError('conflict', 'The space is locked against direct edits; use a change request.');
  }
  const revision = await em.findOneOrFail(Revision, space.revision);
  const { pages } = readResolutions(edit.changes, []);
  const buffer = createObjectBuffer(objectReader(kyselyOf(em)));
  const base = { root: revision.root, space: space.id, origin: revision.parents[0], resolutions: pages };
  const { root, effects } = await applyEdit(work, buffer, base, edit);
  await saveEdit(work, space, { before: revision.root, root, buffer, author: edit.author });
  return { effects, space, snapshot: await openSnapshot(buffer, root) };
}

/** A root to edit, in a space; `origin` is the revision that pages are reverted to by default. */
export interface Base {
  root: string;
  space: string;
  origin: string | undefined;
  resolutions: Batch['resolutions'];
}

/** Applies the changes to a root; its new objects go to the buffer. */
export async function applyEdit(
  { em, engine }: Work,
  buffer: ObjectBuffer,
  { root, space, origin, resolutions }: Base,
  { changes, files }: ContentEdit,
): Promise<{ root: string; effects: Effect[] }> {
  const db = kyselyOf(em);
  await requireKnownClaims(db, space, changes);
  const reverts = await readReverts(db, space, changes, origin);
  const ids = Array.from({ length: countInsertions(changes) }, newId);
  const now = new Date().toISOString();
  return engine.run('edit', { root, changes, files, reverts, resolutions, ids, now }, buffer);
}

/**
 * Makes edited content the active revision of a locked branch.
 * @returns whether there was anything to save.
 */
export async function saveEdit(
  work: Work,
  branch: Branch,
  { before, root, buffer, author }: { before: string; root: string; buffer: ObjectBuffer; author: string },
): Promise<boolean> {
  if (root === before) return false;
  await advance(work, branch, { root, objects: buffer.pending, type: 'edits', author });
  return true;
}

/** The roots of the revisions that changes revert pages to, by the index of the change, in one statement. */
async function readReverts(
  db: Db,
  space: string,
  changes: readonly EditChange[],
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
