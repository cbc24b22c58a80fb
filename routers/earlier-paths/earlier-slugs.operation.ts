import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { BranchHook } from '../base/hooks.ts';
import type { EarlierSlug } from '../engine/store/earlier-slugs.ts';

/** Records the slugs that pages of a space lose when its active revision changes. */
export const earlierSlugsHook: BranchHook<EarlierSlug[]> = {
  async compute({ engine }, { branch, before, after, reader }) {
    // Sites show neither change requests nor imports.
    // guard: earlier-slugs-of-space
    if (branch.kind !== 'space') return undefined;
    return engine.run('earlierSlugs', { before, after }, reader);
  },
  async save(db, { branch }, slugs) {
    if (!slugs || slugs.length === 0) return;
    const rows = slugs.map(({ parent, ...slug }) => ({ ...slug, parent: parent ?? '' }));
    await sql`
      insert into earlier_slug (space_id, parent, slug, page, condition, changed_at)
      select ${branch.id}, parent, slug, page, condition, now()
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as changed(parent text, slug text, page text, condition text)
      on conflict (space_id, parent, slug, page)
        do update set condition = excluded.condition, changed_at = excluded.changed_at`.execute(db);
  },
};

/** Copies the earlier slugs of a space to a copy of it, whose pages have the same ids. */
export async function copyEarlierSlugs(
  db: Db,
  { original, copy }: { original: string; copy: string },
): Promise<void> {
  await db
    .insertInto('earlier_slug')
    .columns(['space_id', 'parent', 'slug', 'page', 'condition', 'changed_at'])
    .expression((eb) =>
      eb
        .selectFrom('earlier_slug')
        .select([eb.val(copy).as('space_id'), 'parent', 'slug', 'page', 'condition', 'changed_at'])
        .where('space_id', '=', original),
    )
    .execute();
}
