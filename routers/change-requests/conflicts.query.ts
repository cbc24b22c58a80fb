import type { z } from 'zod';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { Json } from '../engine/store/canonical.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { type ConflictObject, presentConflict } from './conflicts.api.ts';
import { readConflicts } from './conflicts.operation.ts';
import { findConflicts, type Sides } from './merge.operation.ts';

type Presented = z.infer<typeof ConflictObject>;

/**
 * All conflicts of a change request, in a stable order: the unresolved ones of earlier updates, and those that an
 * update now would add.
 */
export async function listConflicts(db: Db, engine: Engine, sides: Sides): Promise<Presented[]> {
  const { changeRequest } = sides;
  const standing = await readConflicts(db, changeRequest.id);
  const pending = await findConflicts(db, engine, sides);
  return presentConflicts(db, changeRequest.revision, standing, pending);
}

/** Presents the unresolved conflicts of a change request with some revision, and those that an update would add. */
export async function presentConflicts(
  db: Db,
  revision: string,
  standing: readonly Conflict[],
  pending: readonly Conflict[] = [],
): Promise<Presented[]> {
  const conflicts = new Map<string, { conflict: Conflict; pending: boolean }>();
  for (const conflict of standing) conflicts.set(conflict.id, { conflict, pending: false });
  for (const conflict of pending) {
    const base = conflicts.get(conflict.id)?.conflict.base ?? conflict.base;
    conflicts.set(conflict.id, { conflict: { ...conflict, base }, pending: true });
  }
  if (conflicts.size === 0) return [];
  const all = [...conflicts.values()];
  const titles = await readTitles(
    db,
    revision,
    all.map(({ conflict }) => conflict),
  );
  return all
    .map(({ conflict, pending: isPending }) => presentConflict(conflict, { titles, pending: isPending }))
    .sort((a, b) => (keyOfConflict(a) < keyOfConflict(b) ? -1 : 1));
}

/** Conflicts in order, grouped by the object they are about. */
export const keyOfConflict = ({ id, page, file, reusableContent }: z.infer<typeof ConflictObject>): string =>
  `${page?.id ?? file?.id ?? reusableContent?.id ?? ''}/${id}`;

/**
 * The titles and names of the pages, files and reusable contents in conflicts, by id; for deleted ones, the last known.
 */
async function readTitles(
  db: Db,
  revision: string,
  conflicts: readonly Conflict[],
): Promise<Map<string, string>> {
  const [root] = await readRoots(db, [revision] as const);
  const snapshot = await openSnapshot(objectReader(db), root);
  const titles = new Map<string, string>();
  for (const { page, file, reusableContent, ours, theirs, base } of conflicts) {
    const id = page ?? file ?? reusableContent;
    const title = [ours, theirs, base].map(titleIn).find((text) => text !== undefined);
    if (id !== undefined && title !== undefined) titles.set(id, title);
  }
  for (const [id, { title }] of await snapshot.pages(conflicts.flatMap(({ page }) => page ?? [])))
    titles.set(id, title);
  for (const [id, { name }] of await snapshot.filesById(conflicts.flatMap(({ file }) => file ?? [])))
    titles.set(id, name);
  const contents = conflicts.flatMap(({ reusableContent }) => reusableContent ?? []);
  for (const [id, { title }] of await snapshot.reusableContentsById(contents)) titles.set(id, title);
  return titles;
}

/** The title of a page or reusable content, or the name of a file, in one version of its record. */
function titleIn(version: Json): string | undefined {
  if (typeof version !== 'object' || version === null || Array.isArray(version)) return undefined;
  const { id, title, name } = version as { id?: Json; title?: Json; name?: Json };
  const text = title ?? name;
  return typeof id === 'string' && typeof text === 'string' ? text : undefined;
}
