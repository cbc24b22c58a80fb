import { Revision } from '../../schema/entities/revision.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsUnder, partOf, type Row } from '../../schema/rows.ts';
import { selectSpaceFor, spaceAccess } from '../access/load.query.ts';
import { linkOf, selectVisitedSpace, visitedSpace } from '../access/visited.query.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { Db, Visitor } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';

const selectContentFor = (db: Db, userId: Operand, spaceId: Operand) =>
  selectSpaceFor(db, userId, spaceId)
    .select(columnsUnder('revision', Revision))
    .where('space.deleted_at', 'is', null);

const readActive = batchedStatement((db, userId: Operand, spaceId: Operand) =>
  selectContentFor(db, userId, spaceId).leftJoin('revision', 'revision.id', 'space.revision_id'),
);

const readRevision = batchedStatement((db, userId: Operand, spaceId: Operand, revisionId: Operand) =>
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
  const row =
    revisionId === undefined
      ? await readActive(db, userId, spaceId)
      : await readRevision(db, userId, spaceId, revisionId);
  const access = row && spaceAccess(row);
  if (!row || !access) throw notFound('space');
  const revision = partOf<Row<Revision>, 'revision'>(row, 'revision');
  if (!revision) throw notFound('revision');
  return { ...access, revision, snapshot: await openSnapshot(objectReader(db), revision.root) };
}

const readVisited = batchedStatement((db, site: Operand, link: Operand, spaceId: Operand) =>
  selectVisitedSpace(db, site, link, spaceId)
    .select(columnsUnder('revision', Revision))
    .innerJoin('revision', 'revision.id', 'space.revision_id'),
);

/**
 * A space that a site shows to a visitor, with its active revision, in one statement. No other revision exists for them.
 */
export async function loadVisitedContent(db: Db, visitor: Visitor, spaceId: string, revisionId?: string) {
  if (!isId(spaceId)) throw notFound('space');
  const row = await readVisited(db, visitor.site, linkOf(visitor), spaceId);
  const visited = row && visitedSpace(row, visitor);
  if (!visited) throw notFound('space');
  const { of: space, claims } = visited;
  const revision = partOf<Row<Revision>, 'revision'>(row, 'revision');
  if (!revision || (revisionId !== undefined && revisionId !== revision.id)) throw notFound('revision');
  return { space, claims, revision, snapshot: await openSnapshot(objectReader(db), revision.root) };
}
