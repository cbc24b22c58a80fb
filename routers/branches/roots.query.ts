import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';

/** A revision with the root of its content. */
export interface RevisionContent {
  id: string;
  root: string;
  parents: string[];
}

/** Revisions never change, so the cache is never invalidated. */
const cache = new LRUCache<string, RevisionContent>({ max: 5000 });

/** Reads revisions, which must exist, in one statement at most. */
export async function readRevisions<Ids extends readonly string[]>(
  db: Db,
  ids: Ids,
): Promise<{ [Index in keyof Ids]: RevisionContent }> {
  const found = new Map(ids.map((id) => [id, cache.get(id)]));
  const missing = [...found.keys()].filter((id) => !found.get(id));
  if (missing.length > 0)
    for (const revision of await db
      .selectFrom('revision')
      .select(['id', 'root', 'parents'])
      .where('id', 'in', missing)
      .execute()) {
      cache.set(revision.id, revision);
      found.set(revision.id, revision);
    }
  const revisions = ids.map((id) => {
    const revision = found.get(id);
    if (revision === undefined) throw new Error(`revision ${id} is missing`);
    return revision;
  });
  return revisions as { [Index in keyof Ids]: RevisionContent };
}

/** Caches a new revision, from which its branch will continue. */
export const cacheRevision = ({ id, root, parents }: RevisionContent): void => {
  cache.set(id, { id, root, parents });
};

/** Reads the root of each of these revisions, in one statement at most. */
export async function readRoots<Ids extends readonly string[]>(
  db: Db,
  ids: Ids,
): Promise<{ [Index in keyof Ids]: string }> {
  const revisions = await readRevisions(db, ids);
  return revisions.map(({ root }) => root) as { [Index in keyof Ids]: string };
}
