import type { Db } from '../context.ts';

/** The content of a revision. */
export interface RevisionContent {
  id: string;
  root: string;
  parents: string[];
}

/** These revisions, in one statement. */
export async function readRevisions<Ids extends readonly string[]>(
  db: Db,
  ids: Ids,
): Promise<{ [Index in keyof Ids]: RevisionContent }> {
  const rows = await db
    .selectFrom('revision')
    .select(['id', 'root', 'parents'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  const revisions = new Map(rows.map((revision) => [revision.id, revision]));
  const found = ids.map((id) => {
    const revision = revisions.get(id);
    if (revision === undefined) throw new Error(`revision ${id} is missing`);
    return revision;
  });
  return found as { [Index in keyof Ids]: RevisionContent };
}

/** The root of the content of each of these revisions, in one statement. */
export async function readRoots<Ids extends readonly string[]>(
  db: Db,
  ids: Ids,
): Promise<{ [Index in keyof Ids]: string }> {
  const revisions = await readRevisions(db, ids);
  return revisions.map(({ root }) => root) as { [Index in keyof Ids]: string };
}
