import { Revision } from '../../schema/entities/revision.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsUnder, partOf, type Row } from '../../schema/rows.ts';
import { selectSpaceFor, spaceAccess } from '../access/load.query.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { Db } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { statement } from '../statement.ts';

const selectContentFor = (db: Db, userId: string, spaceId: string) =>
  selectSpaceFor(db, userId, spaceId)
    .select(columnsUnder('revision', Revision))
    .where('space.deleted_at', 'is', null);

const readActive = statement((db, userId: string, spaceId: string) =>
  selectContentFor(db, userId, spaceId).leftJoin('revision', 'revision.id', 'space.revision_id'),
);

const readRevision = statement((db, userId: string, spaceId: string, revisionId: string) =>
  selectContentFor(db, userId, spaceId).leftJoin('revision', (join) =>
    join.onRef('revision.space_id', '=', 'space.id').on('revision.id', '=', revisionId),
  ),
);

/**
 * A space and one of its revisions as one caller may view them, in one statement; by default the active revision. A
 * deleted space has no readable content.
 */
export async function loadContent(db: Db, userId: string, spaceId: string, revisionId?: string) {
  if (!isId(spaceId)) throw notFound('space');
  const [row] =
    revisionId === undefined
      ? await readActive(db, userId, spaceId)
      : await readRevision(db, userId, spaceId, revisionId);
  const access = row && spaceAccess(row);
  if (!row || !access) throw notFound('space');
  const revision = partOf<Row<Revision>, 'revision'>(row, 'revision');
  if (!revision) throw notFound('revision');
  return { ...access, revision, snapshot: await openSnapshot(objectReader(db), revision.root) };
}
