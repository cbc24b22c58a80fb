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

/** A conflict, and whether only an update now would add it. */
interface FoundConflict {
  conflict: Conflict;
  pending: boolean;
}

/**
 * All conflicts of a change request, in a stable order: the unresolved ones of earlier updates, and those that an
 * update now would add.
 */
export async function findAllConflicts(db: Db, engine: Engine, sides: Sides): Promise<FoundConflict[]> {
  const standing = await readConflicts(db, sides.changeRequest.id);
  return inOrder(standing, await findConflicts(db, engine, sides));
}

/** The same, as they are presented. */
export async function listConflicts(db: Db, engine: Engine, sides: Sides): Promise<Presented[]> {
  return presentFound(db, sides.changeRequest.revision, await findAllConflicts(db, engine, sides));
}

/** Presents the unresolved conflicts of a change request with some revision. */
export const presentConflicts = (
  db: Db,
  revision: string,
  standing: readonly Conflict[],
): Promise<Presented[]> => presentFound(db, revision, inOrder(standing, []));

function inOrder(standing: readonly Conflict[], pending: readonly Conflict[]): FoundConflict[] {
  const conflicts = new Map<string, FoundConflict>();
  for (const conflict of standing) conflicts.set(conflict.id, { conflict, pending: false });
  for (const conflict of pending) {
    const base = conflicts.get(conflict.id)?.conflict.base ?? conflict.base;
    conflicts.set(conflict.id, { conflict: { ...conflict, base }, pending: true });
  }
  return [...conflicts.values()].sort((a, b) => (keyOfConflict(a) < keyOfConflict(b) ? -1 : 1));
}

/**
 * Presents conflicts of a change request with some revision.
 * @param texts the Markdown of each, if asked for
 */
export async function presentFound(
  db: Db,
  revision: string,
  found: readonly FoundConflict[],
  texts: readonly (string | undefined)[] = [],
): Promise<Presented[]> {
  if (found.length === 0) return [];
  const titles = await readTitles(
    db,
    revision,
    found.map(({ conflict }) => conflict),
  );
  return found.map(({ conflict, pending }, index) =>
    presentConflict(conflict, { titles, pending, markdown: texts[index] }),
  );
}

/** Conflicts in order, grouped by the object they are about. */
export const keyOfConflict = ({
  conflict: { id, page, file, reusableContent },
}: Pick<FoundConflict, 'conflict'>): string => `${page ?? file ?? reusableContent ?? ''}/${id}`;

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
