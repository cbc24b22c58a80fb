import { sql } from 'kysely';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { User } from '../../schema/entities/user.ts';
import { columnsUnder, partOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { visibleUserColumns } from '../people/users.query.ts';

/** The root of a revision's parent, and the change request whose merge created it, if any, in one statement. */
export async function readOrigin(
  db: Db,
  space: { organization: string },
  revision: { id: string; parents: string[] },
): Promise<{ root: string | undefined; mergedFrom: MergedFrom | undefined }> {
  const [parent] = revision.parents;
  if (parent === undefined) return { root: undefined, mergedFrom: undefined };
  const row = await db
    .selectFrom('revision')
    .leftJoin('change_request', (join) => join.on('change_request.revision_merged_id', '=', revision.id))
    .leftJoin('user', 'user.id', 'change_request.created_by_id')
    .select('revision.root')
    .select(columnsUnder('changeRequest', ChangeRequest))
    .select(visibleUserColumns('createdBy', 'user', sql.val(space.organization)))
    .where('revision.id', '=', parent)
    .executeTakeFirstOrThrow();
  const changeRequest = partOf<Row<ChangeRequest>, 'changeRequest'>(row, 'changeRequest');
  const createdBy = partOf<Row<User>, 'createdBy'>(row, 'createdBy');
  return { root: row.root, mergedFrom: changeRequest && { changeRequest, createdBy } };
}

interface MergedFrom {
  changeRequest: Row<ChangeRequest>;
  createdBy: Row<User> | undefined;
}
