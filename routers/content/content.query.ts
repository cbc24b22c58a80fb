import { sql } from 'kysely';
import { Revision } from '../../schema/entities/revision.ts';
import { Space } from '../../schema/entities/space.ts';
import { isId } from '../../schema/json/id.ts';
import {
  columnsOf,
  columnsUnder,
  type Prefixed,
  partOf,
  type Row,
  someColumnsOf,
} from '../../schema/rows.ts';
import { publishedPlaceFor, selectSpaceFor, spaceAccess } from '../access/load.query.ts';
import { linkOf, selectVisitedSpace, visitedSpace } from '../access/visited.query.ts';
import type { Db } from '../base/db.ts';
import type { Actor, Visitor } from '../base/principal.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';

/** A revision of a space (the active one for an empty id), with what determines a caller's level on the space. */
const selectRevisionFor = (db: Db, userId: Operand, spaceId: Operand, revisionId: Operand) =>
  selectSpaceFor(db, userId, spaceId)
    .leftJoin('revision', (join) =>
      join
        // guard: space-of-revision
        .onRef('revision.space_id', '=', 'space.id')
        .on('revision.id', '=', sql<string>`coalesce(nullif(${revisionId}, ''), space.revision_id)`),
    )
    .select(columnsUnder('revision', Revision))
    .where('space.deleted_at', 'is', null);

const readRevision = batchedStatement((db, userId: Operand, spaceId: Operand, revisionId: Operand) =>
  selectRevisionFor(db, userId, spaceId, revisionId)
    .select(columnsOf(Space))
    .select(publishedPlaceFor(userId)),
);

/**
 * Loads a space and one of its revisions for a caller, in one statement; by default the active revision. The content of a
 * deleted space cannot be read.
 */
export const loadContent = async (db: Db, actor: Actor, spaceId: string, revisionId = '') =>
  contentIn(
    db,
    actor,
    isId(spaceId) ? await readRevision(db, actor.user.id, spaceId, revisionId) : undefined,
  );

const READ_OF_SPACE = someColumnsOf(Space, ['id', 'organization', 'revision', 'effectiveDefault']);

const readRevisionOnly = batchedStatement((db, userId: Operand, spaceId: Operand, revisionId: Operand) =>
  selectRevisionFor(db, userId, spaceId, revisionId).select(READ_OF_SPACE),
);

/** The same, with only the columns of the space that reading its content needs. */
export const loadContentOnly = async (db: Db, actor: Actor, spaceId: string, revisionId = '') =>
  contentIn(
    db,
    actor,
    isId(spaceId) ? await readRevisionOnly(db, actor.user.id, spaceId, revisionId) : undefined,
  );

/** Opens the content of such a row. @throws DomainError `not-found` if the caller may not view the space */
async function contentIn<SpaceRow extends Parameters<typeof spaceAccess>[1]>(
  db: Db,
  actor: Actor,
  row: (SpaceRow & Prefixed<Row<Revision>, 'revision'>) | undefined,
) {
  const access = row && spaceAccess(actor, row);
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
 * Loads a space of a site for a visitor, with its active revision, in one statement. Visitors can read no other revision.
 */
export async function loadVisitedContent(db: Db, visitor: Visitor, spaceId: string, revisionId?: string) {
  if (!isId(spaceId)) throw notFound('space');
  const row = await readVisited(db, visitor.site, linkOf(visitor), spaceId);
  const visited = row && visitedSpace(row, visitor);
  if (!visited) throw notFound('space');
  const { of: space, conditions } = visited;
  const revision = partOf<Row<Revision>, 'revision'>(row, 'revision');
  // guard: visited-active-revision
  if (!revision || (revisionId !== undefined && revisionId !== revision.id)) throw notFound('revision');
  return { space, conditions, revision, snapshot: await openSnapshot(objectReader(db), revision.root) };
}

/**
 * Reads the root of a revision of a space; by default of the active one.
 * @throws DomainError `not-found` for a revision of another space, or one that is not active if the reader is a visitor
 */
export async function readRootOf(
  db: Db,
  reader: Actor | Visitor,
  { id, revision: active }: { id: string; revision: string },
  revision = active,
): Promise<string> {
  if (revision === active) return (await readRoots(db, [active] as const))[0];
  const load =
    reader.kind === 'visitor'
      ? loadVisitedContent(db, reader, id, revision)
      : loadContentOnly(db, reader, id, revision);
  return (await load).revision.root;
}
