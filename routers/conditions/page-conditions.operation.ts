import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { BranchHook } from '../base/hooks.ts';
import type { PageConditionChanges } from '../engine/expressions/page-conditions.ts';

/** Keeps the record of a space's page conditions up to date with its active revision. */
export const pageConditionsHook: BranchHook<PageConditionChanges> = {
  async compute({ engine }, { branch, before, after, reader }) {
    // Sites show neither change requests nor imports.
    // guard: page-conditions-of-space
    if (branch.kind !== 'space') return undefined;
    return engine.run('pageConditionChanges', { before, after }, reader);
  },
  async save(db, { branch }, changes) {
    if (changes) await savePageConditions(db, branch.id, changes);
  },
};

export async function savePageConditions(
  db: Db,
  space: string,
  { set, unset }: PageConditionChanges,
): Promise<void> {
  if (unset.length > 0)
    await db
      .deleteFrom('page_condition')
      .where('space_id', '=', space)
      .where('page', '=', sql<string>`any(${unset})`)
      .execute();
  if (set.length > 0)
    await sql`
      insert into page_condition (space_id, page, title, claims)
      select ${space}, page, title, claims
      from json_to_recordset(${JSON.stringify(set)}::json) as changed(page text, title text, claims text[])
      on conflict (space_id, page) do update set title = excluded.title, claims = excluded.claims`.execute(
      db,
    );
}

/** Copies the record of a space's page conditions to a copy of the space, which has the same content. */
export async function copyPageConditions(
  db: Db,
  { original, copy }: { original: string; copy: string },
): Promise<void> {
  await db
    .insertInto('page_condition')
    .columns(['space_id', 'page', 'title', 'claims'])
    .expression((eb) =>
      eb
        .selectFrom('page_condition')
        .select([eb.val(copy).as('space_id'), 'page', 'title', 'claims'])
        .where('space_id', '=', original),
    )
    .execute();
}
