import type { z } from 'zod';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { Json } from '../engine/store/canonical.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { type ConflictObject, presentConflict } from './conflicts.api.ts';
import { readConflicts } from './conflicts.operation.ts';
import { type MergeState, pullFromSpace } from './merge.operation.ts';
import { type OpenConflict, unresolvedAfter } from './pull.ts';

type Presented = z.infer<typeof ConflictObject>;

interface FoundConflict {
  conflict: Conflict;
  /** Whether it is not recorded yet: an update from the space would add it. */
  pending: boolean;
}

/**
 * All conflicts of a change request, in a stable order: the unresolved ones of earlier updates, and those that an update
 * now would add.
 */
export async function findAllConflicts(db: Db, engine: Engine, state: MergeState): Promise<FoundConflict[]> {
  const recorded = await readConflicts(db, state.changeRequest.id);
  const buffer = createObjectBuffer(objectReader(db));
  const pull = await pullFromSpace({ db, engine }, buffer, { ...state, recorded });
  return sortConflicts(unresolvedAfter(recorded, pull), pull?.revision.id);
}

/** The same, presented. */
export async function listConflicts(db: Db, engine: Engine, state: MergeState): Promise<Presented[]> {
  return presentFoundConflicts(db, state.changeRequest.revision, await findAllConflicts(db, engine, state));
}

/** Presents the unresolved conflicts of a change request with some revision. */
export const presentConflicts = (
  db: Db,
  revision: string,
  unresolved: readonly OpenConflict[],
): Promise<Presented[]> => presentFoundConflicts(db, revision, sortConflicts(unresolved));

/** Sorts conflicts. @param pending the id of an update that is not saved */
function sortConflicts(unresolved: readonly OpenConflict[], pending?: string): FoundConflict[] {
  return unresolved
    .map((conflict) => ({ conflict, pending: conflict.update === pending }))
    .sort((a, b) => (keyOfConflict(a) < keyOfConflict(b) ? -1 : 1));
}

/**
 * Presents conflicts of a change request with some revision.
 * @param texts the Markdown of each, if asked for
 */
export async function presentFoundConflicts(
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

/** The sort key of a conflict, which groups conflicts by the object that they are about. */
export const keyOfConflict = ({
  conflict: { id, page, file, reusableContent },
}: Pick<FoundConflict, 'conflict'>): string => `${page ?? file ?? reusableContent ?? ''}/${id}`;

/**
 * The titles of the pages and reusable contents and the names of the files in conflicts, by id; for deleted ones, the
 * last known title.
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
