import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { Outdated } from '../branches/outdated.ts';
import { readRevisions } from '../branches/roots.query.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { OpenConflict, PullResult, SpacePull } from './pull.ts';

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

/**
 * Records the conflicts of an update. A conflict at the same place as an earlier one replaces it, but keeps its base.
 */
export async function saveConflicts(
  db: Db,
  changeRequestId: string,
  conflicts: readonly OpenConflict[],
): Promise<void> {
  if (conflicts.length === 0) return;
  const rows = conflicts.map(({ update, baseRevision, ...body }) => ({
    key: body.id,
    body,
    update,
    base: baseRevision,
  }));
  // One parameter for all of them: there may be more conflicts than a statement can have parameters.
  await sql`
    insert into conflict (change_request_id, key, body, update_id, base_id, created_at)
    select ${changeRequestId}, key, body, update, base, now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as found(key text, body jsonb, update text, base text)
    on conflict (change_request_id, key) do update set
      body = excluded.body || jsonb_build_object('base', conflict.body -> 'base'),
      update_id = excluded.update_id,
      base_id = excluded.base_id`.execute(db);
}

/** Records what an update from the space, if there is one, makes of the conflicts. */
export async function savePulledConflicts(
  db: Db,
  changeRequestId: string,
  pull: SpacePull | undefined,
): Promise<void> {
  if (!pull) return;
  await saveConflicts(db, changeRequestId, pull.conflicts);
  await deleteConflicts(db, changeRequestId, pull.settled);
}

/**
 * Deletes recorded conflicts.
 * @returns how many of them there still were
 */
export async function deleteConflicts(
  db: Db,
  changeRequestId: string,
  conflicts: readonly { id: string }[],
): Promise<number> {
  if (conflicts.length === 0) return 0;
  const keys = [...new Set(conflicts.map(({ id }) => id))];
  const { numDeletedRows } = await db
    .deleteFrom('conflict')
    .where('change_request_id', '=', changeRequestId)
    .where('key', '=', sql<string>`any(${keys})`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes conflicts that were resolved. @throws Outdated if somebody else has resolved one of them meanwhile */
export async function deleteResolvedConflicts(
  db: Db,
  changeRequestId: string,
  conflicts: readonly { id: string }[],
): Promise<void> {
  const dropped = await deleteConflicts(db, changeRequestId, conflicts);
  // guard: conflict-resolved-once
  if (dropped < new Set(conflicts.map(({ id }) => id)).size) throw new Outdated();
}

/**
 * Takes the space's side of some conflicts of a change request. New objects go to the buffer.
 * @param pulled the update that left some of them, if it is not saved yet
 * @returns the new root of its content
 */
export async function acceptTheirs(
  { db, engine, buffer }: { db: Db; engine: Engine; buffer: ObjectBuffer },
  current: string,
  conflicts: readonly OpenConflict[],
  pulled: PullResult | undefined,
): Promise<string> {
  const groups = Map.groupBy(conflicts, (conflict) => conflict.update);
  const made = [...groups.values()].map(([first]) => first as OpenConflict);
  const updates = await readUpdates(
    db,
    made.filter(({ update }) => update !== pulled?.revision.id),
  );
  if (pulled) {
    const { base, ours, theirs } = pulled.parents;
    updates.set(pulled.revision.id, [base.root, ours.root, theirs.root, pulled.revision.root]);
  }
  let root = current;
  for (const [update, group] of groups) {
    const ids = group.map(({ id }) => id);
    root = await reapplyUpdate(engine, buffer, root, updates.get(update) as UpdateRoots, ids);
  }
  return root;
}

/** The roots of an update of a change request: the base, both sides, and the result. */
type UpdateRoots = readonly [base: string, ours: string, theirs: string, result: string];

/** The roots of the updates that left conflicts, by the id of the update; `conflicts` has one of each update. */
async function readUpdates(db: Db, conflicts: readonly OpenConflict[]): Promise<Map<string, UpdateRoots>> {
  if (conflicts.length === 0) return new Map();
  const made = await readRevisions(
    db,
    conflicts.map(({ update }) => update),
  );
  const sides = made.flatMap(({ parents: [ours, theirs] }, index) => [
    (conflicts[index] as OpenConflict).baseRevision,
    ours as string,
    theirs as string,
  ]);
  const roots = (await readRevisions(db, sides)).map(({ root }) => root);
  return new Map(
    made.map(({ id, root }, index) => {
      const [base, ours, theirs] = roots.slice(index * 3) as [string, string, string];
      return [id, [base, ours, theirs, root]];
    }),
  );
}

/** Repeats an update with the space's side of these conflicts, and applies the difference to the current content. */
async function reapplyUpdate(
  engine: Engine,
  buffer: ObjectBuffer,
  current: string,
  [base, ours, theirs, result]: UpdateRoots,
  ids: readonly string[],
): Promise<string> {
  const resolved = { base, ours, theirs, resolutions: forTheirs(ids) };
  const decided = await engine.run('merge', resolved, buffer);
  const onto = { base: result, ours: current, theirs: decided.root };
  const merged = await engine.run('merge', onto, buffer);
  if (merged.conflicts.length === 0) return merged.root;
  // Overwrites later edits around them as well: that is what taking the other side means.
  const resolutions = forTheirs(merged.conflicts.map(({ id }) => id));
  return (await engine.run('merge', { ...onto, resolutions }, buffer)).root;
}

const forTheirs = (ids: readonly string[]) => new Map(ids.map((id) => [id, 'theirs'] as const));
