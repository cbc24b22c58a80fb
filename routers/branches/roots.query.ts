import type { Db } from '../context.ts';

/** The root of the content of each of these revisions, in one statement. */
export async function readRoots<Ids extends readonly string[]>(
  db: Db,
  ids: Ids,
): Promise<{ [Index in keyof Ids]: string }> {
  const rows = await db
    .selectFrom('revision')
    .select(['id', 'root'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  const roots = new Map(rows.map(({ id, root }) => [id, root]));
  const found = ids.map((id) => {
    const root = roots.get(id);
    if (root === undefined) throw new Error(`revision ${id} is missing`);
    return root;
  });
  return found as { [Index in keyof Ids]: string };
}
