import { sql } from 'kysely';
import { advance, type Work } from '../branches/advance.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { type Db, kyselyOf } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import { diffSnapshots } from '../engine/store/diff.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { recordContribution } from './change-requests.operation.ts';
import { conflictsTouchedBy } from './conflicts.ts';
import type { Locked } from './locked.operation.ts';

/** A conflict left by an update, with the revision that the update created and the common ancestor of both sides. */
export type OpenConflict = Conflict & { readonly update: string; readonly baseRevision: string };

const conflictsOf = (db: Db, changeRequestId: string) =>
  db.selectFrom('conflict').where('change_request_id', '=', changeRequestId);

/** The unresolved conflicts of a change request. */
export async function readConflicts(db: Db, changeRequestId: string): Promise<OpenConflict[]> {
  const rows = await conflictsOf(db, changeRequestId).select(['body', 'update_id', 'base_id']).execute();
  return rows.map(({ body, update_id, base_id }) => ({
    ...(body as Conflict),
    update: update_id,
    baseRevision: base_id,
  }));
}

export async function hasConflicts(db: Db, changeRequestId: string): Promise<boolean> {
  return (await conflictsOf(db, changeRequestId).select('key').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Records the conflicts of an update. A conflict at the same place as an earlier one replaces it, but keeps its base.
 */
export async function saveConflicts(
  db: Db,
  changeRequestId: string,
  { update, base }: { update: string; base: string },
  conflicts: readonly Conflict[],
): Promise<void> {
  if (conflicts.length === 0) return;
  const rows = conflicts.map((conflict) => ({ key: conflict.id, body: conflict }));
  // One parameter for all of them: there may be more conflicts than a statement can have parameters.
  await sql`
    insert into conflict (change_request_id, key, body, update_id, base_id, created_at)
    select ${changeRequestId}, key, body, ${update}, ${base}, now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as found(key text, body jsonb)
    on conflict (change_request_id, key) do update set
      body = excluded.body || jsonb_build_object('base', conflict.body -> 'base'),
      update_id = excluded.update_id,
      base_id = excluded.base_id`.execute(db);
}

/** Deletes recorded conflicts. */
export async function dropConflicts(
  db: Db,
  changeRequestId: string,
  conflicts: readonly { id: string }[],
): Promise<void> {
  if (conflicts.length === 0) return;
  const keys = conflicts.map(({ id }) => id);
  await db
    .deleteFrom('conflict')
    .where('change_request_id', '=', changeRequestId)
    .where('key', '=', sql<string>`any(${keys})`)
    .execute();
}

/**
 * Deletes the recorded conflicts of a locked change request that an edit of its content, from root to root, resolves.
 */
export async function settleEditedConflicts(
  db: Db,
  changeRequestId: string,
  before: string,
  after: string,
): Promise<void> {
  const conflicts = await readConflicts(db, changeRequestId);
  if (conflicts.length === 0) return;
  const changes = await diffSnapshots(objectReader(db), before, after);
  await dropConflicts(db, changeRequestId, conflictsTouchedBy(conflicts, changes));
}

/**
 * The root of a change request's content after taking the space's side of some of its conflicts; new objects go to the
 * buffer.
 */
export async function acceptTheirs(
  db: Db,
  engine: Engine,
  buffer: ObjectBuffer,
  current: string,
  conflicts: readonly OpenConflict[],
): Promise<string> {
  const groups = Map.groupBy(conflicts, (conflict) => conflict.update);
  const updates = await readUpdates(
    db,
    [...groups.values()].map(([first]) => first as OpenConflict),
  );
  let root = current;
  for (const [update, group] of groups) {
    const ids = group.map(({ id }) => id);
    root = await takeFrom(engine, buffer, root, updates.get(update) as UpdateRoots, ids);
  }
  return root;
}

/** The roots of an update of a change request: the base, both sides, and the result. */
type UpdateRoots = readonly [base: string, ours: string, theirs: string, made: string];

/** The roots of the updates that left conflicts, by the id of the update; `conflicts` has one of each. */
async function readUpdates(db: Db, conflicts: readonly OpenConflict[]): Promise<Map<string, UpdateRoots>> {
  const made = await db
    .selectFrom('revision')
    .select(['id', 'parents'])
    .where(
      'id',
      'in',
      conflicts.map(({ update }) => update),
    )
    .execute();
  const parents = new Map(made.map((revision) => [revision.id, revision.parents]));
  const ids = conflicts.flatMap(({ update, baseRevision }) => {
    const [ours, theirs] = parents.get(update) as [string, string];
    return [baseRevision, ours, theirs, update];
  });
  const roots = await readRoots(db, ids);
  return new Map(
    conflicts.map(({ update }, index) => [
      update,
      roots.slice(index * 4, index * 4 + 4) as unknown as UpdateRoots,
    ]),
  );
}

/** Repeats an update with other decisions, and applies the difference to the current content. */
async function takeFrom(
  engine: Engine,
  buffer: ObjectBuffer,
  current: string,
  [base, ours, theirs, made]: UpdateRoots,
  ids: readonly string[],
): Promise<string> {
  const resolved = { base, ours, theirs, resolutions: forTheirs(ids) };
  const decided = await engine.run('merge', resolved, buffer);
  const onto = { base: made, ours: current, theirs: decided.root };
  const merged = await engine.run('merge', onto, buffer);
  if (merged.conflicts.length === 0) return merged.root;
  // Later edits around it are overwritten as well: that is what taking the other side means.
  const resolutions = forTheirs(merged.conflicts.map(({ id }) => id));
  return (await engine.run('merge', { ...onto, resolutions }, buffer)).root;
}

const forTheirs = (ids: readonly string[]) => new Map(ids.map((id) => [id, 'theirs'] as const));

export interface Resolution {
  take: 'ours' | 'theirs';
  /** Ids of conflicts; all if absent. */
  conflicts?: readonly string[] | undefined;
}

/**
 * Resolves recorded conflicts of a locked change request by taking a side; taking the space's side creates a revision.
 * @throws DomainError `not-found` naming a conflict that does not exist.
 */
export async function resolveConflicts(
  work: Work,
  { changeRequest }: Locked,
  { take, conflicts: ids }: Resolution,
  author: string,
): Promise<void> {
  const db = kyselyOf(work.em);
  const standing = await readConflicts(db, changeRequest.id);
  const known = new Set(standing.map(({ id }) => id));
  const unknown = ids?.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound(`conflict as "${unknown}"`);
  const named = ids && new Set(ids);
  const chosen = named ? standing.filter(({ id }) => named.has(id)) : standing;
  await dropConflicts(db, changeRequest.id, chosen);
  if (take === 'ours' || chosen.length === 0) return;
  const buffer = createObjectBuffer(objectReader(db));
  const [current] = await readRoots(db, [changeRequest.revision] as const);
  const root = await acceptTheirs(db, work.engine, buffer, current, chosen);
  if (root === current) return;
  await advance(work, changeRequest, { root, objects: buffer.pending, type: 'edits', author });
  await recordContribution(work.em, changeRequest.id, author);
}
