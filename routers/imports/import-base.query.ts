import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { type Origins, originsOf } from '../engine/import/origins.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';

/** A revision and its content. */
export interface RevisionRoot {
  id: string;
  root: string;
}

/** What an import of a source into a space starts from. */
export interface ImportBase {
  /** The id of the branch of the source, if the space has imported it before, and the digest of how it was parsed. */
  branch?: string;
  reading?: string | null;
  /** The content that was last imported; undefined if there is none. */
  revision?: RevisionRoot;
}

/** Reads what a space last imported from a source. */
export async function readImportBase(db: Db, space: string, source: string): Promise<ImportBase> {
  const branches = await db
    .selectFrom('import_branch')
    .innerJoin('revision', 'revision.id', 'import_branch.revision_id')
    .select(['import_branch.id as branch', 'source', 'reading', 'revision.id', 'root'])
    .where('import_branch.space_id', '=', space)
    .execute();
  const own = branches.find((branch) => branch.source === source);
  if (own) {
    const { branch, reading, id, root } = own;
    return { branch, reading, revision: { id, root } };
  }
  return branches.length > 0 ? {} : { revision: await findEarlierImport(db, space) };
}

/**
 * Finds the last import into a space from the time before imports had branches. It replaced everything, so it is the earliest
 * revision with all the origins that the content has now.
 */
async function findEarlierImport(db: Db, space: string): Promise<RevisionRoot | undefined> {
  const { rows: line } = await sql<RevisionRoot>`
    with recursive line as (
      select revision.id, root, parents[1] as parent, 0 as place
      from revision join space on space.revision_id = revision.id where space.id = ${space}
      union all
      select revision.id, revision.root, revision.parents[1], place + 1
      from revision join line on revision.id = line.parent
    )
    select id, root from line order by place`.execute(db);
  const read = async (index: number): Promise<Origins> =>
    originsOf(await openSnapshot(objectReader(db), line[index]?.root as string));
  const active = await read(0);
  if (active.size === 0) return undefined;
  // Later revisions have them all, and those before the import do not.
  let found = 0;
  let missing = line.length;
  while (missing - found > 1) {
    const middle = Math.floor((found + missing) / 2);
    const origins = await read(middle);
    if ([...active].every(([id, origin]) => origins.get(id) === origin)) found = middle;
    else missing = middle;
  }
  return line[found];
}
