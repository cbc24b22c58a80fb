import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Revision } from '../../schema/entities/revision.ts';
import type { User } from '../../schema/entities/user.ts';
import { CHANGE_REQUEST_STATUSES } from '../../schema/enums.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsOf, columnsUnder, partOf, type Row, someColumnsOf } from '../../schema/rows.ts';
import { selectFullSpaceFor, spaceAccess } from '../access/load.query.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { notFound } from '../engine/errors.ts';
import { visibleUserColumns } from '../people/users.query.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import { type ListContext, paging, readPage } from '../sql/pagination.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { presentChangeRequest } from './change-requests.api.ts';

/** The number of a change request in a path. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** A space and the change request in it that meets a condition. */
const selectChangeRequestFor = (db: Db, userId: Operand, spaceId: Operand, named: RawBuilder<boolean>) =>
  selectFullSpaceFor(db, userId, spaceId)
    // guard: space-of-change-request
    .leftJoin('change_request', (join) => join.onRef('change_request.space_id', '=', 'space.id').on(named))
    .leftJoin('revision', 'revision.id', 'change_request.revision_id')
    .leftJoin('user', 'user.id', 'change_request.created_by_id')
    .select(columnsUnder('changeRequest', ChangeRequest))
    .select(columnsUnder('revision', Revision))
    .select(visibleUserColumns('createdBy', 'user', sql.ref('space.organization_id')))
    .where('space.deleted_at', 'is', null);

const readById = batchedStatement((db, userId: Operand, spaceId: Operand, id: Operand) =>
  selectChangeRequestFor(db, userId, spaceId, sql`change_request.id = ${id}`),
);

const readByNumber = batchedStatement((db, userId: Operand, spaceId: Operand, number: Operand) =>
  selectChangeRequestFor(db, userId, spaceId, sql`change_request.number = ${number}::integer`),
);

/**
 * A change request, its revision and its creator, with the caller's level on the space, in one statement.
 * @param name the id of the change request, or its number in the space
 * @throws DomainError `not-found` if the caller may not view the space or there is no such change request.
 */
export async function loadChangeRequest(db: Db, actor: Actor, spaceId: string, name: string) {
  if (!isId(spaceId)) throw notFound('space');
  const read = NUMBER.test(name) ? readByNumber : readById;
  const row = await read(db, actor.user.id, spaceId, name);
  const access = row && spaceAccess(actor, row);
  if (!row || !access) throw notFound('space');
  const changeRequest = partOf<Row<ChangeRequest>, 'changeRequest'>(row, 'changeRequest');
  const revision = partOf<Row<Revision>, 'revision'>(row, 'revision');
  if (!changeRequest || !revision) throw notFound('change request');
  const createdBy = partOf<Row<User>, 'createdBy'>(row, 'createdBy');
  return { ...access, changeRequest, revision, createdBy };
}

/** Filters for lists of change requests. */
const filters = {
  status: z
    .enum([...CHANGE_REQUEST_STATUSES, 'all'])
    .default('open')
    .describe('Only those with this status; `all` for any.'),
  creator: z.string().optional().describe('Only those that the user with this id created.'),
  contributor: z.string().optional().describe('Only those that the user with this id edited.'),
  requestedReviewer: z
    .string()
    .optional()
    .describe('Only those that the user with this id is asked to review.'),
  conversationsIssuesCluster: z
    .string()
    .optional()
    .describe('Only those that address the cluster of issues with this id.'),
};
export const listInput = z.object({ ...paging, ...filters });
type ListInput = z.output<typeof listInput>;

/** A page of the change requests of a space or an organization, newest first. */
export async function listChangeRequests(
  ctx: ListContext & { db: Db; viewer: Viewer },
  within: { organization: string; space?: string; viewable: RawBuilder<boolean> },
  input: ListInput,
) {
  const { db, viewer } = ctx;
  const { status, creator, contributor, requestedReviewer, conversationsIssuesCluster } = input;
  let listed = db
    .selectFrom('change_request')
    .innerJoin('space', 'space.id', 'change_request.space_id')
    .where('change_request.organization_id', '=', within.organization)
    .where('space.deleted_at', 'is', null)
    .where(within.viewable);
  if (within.space !== undefined) listed = listed.where('change_request.space_id', '=', within.space);
  if (status !== 'all') listed = listed.where('change_request.status', '=', status);
  if (creator !== undefined) listed = listed.where('change_request.created_by_id', '=', creator);
  if (contributor !== undefined) listed = listed.where(hasRowFor('change_request_contributor', contributor));
  if (requestedReviewer !== undefined)
    listed = listed.where(hasRowFor('requested_reviewer', requestedReviewer));
  if (conversationsIssuesCluster !== undefined)
    listed = listed.where('change_request.conversations_issues_cluster_id', '=', conversationsIssuesCluster);
  return readPage(ctx, input, {
    rows: listed
      .leftJoin('user', 'user.id', 'change_request.created_by_id')
      .select(columnsOf(ChangeRequest).filter(({ alias }) => alias !== 'description'))
      .select(sql<number>`coalesce(octet_length(change_request.description::text), 0)`.as('descriptionSize'))
      .select(visibleUserColumns('createdBy', 'user', sql.ref('space.organization_id')))
      .select('space.revision_id as spaceRevision'),
    count: listed,
    order: [{ column: 'change_request.id', direction: 'desc', of: (row) => row.id }],
    sizeOf: (row) => row.descriptionSize,
    complete: (rows) => withDescriptions(db, rows),
    present: (row) =>
      presentChangeRequest(row, {
        createdBy: partOf<Row<User>, 'createdBy'>(row, 'createdBy'),
        spaceRevision: row.spaceRevision,
        viewer,
      }),
  });
}

/** Adds the descriptions of change requests to their rows. */
async function withDescriptions<R extends { id: string; descriptionSize: number }>(
  db: Db,
  rows: readonly R[],
): Promise<(R & Pick<Row<ChangeRequest>, 'description'>)[]> {
  const described = rows.flatMap(({ id, descriptionSize }) => (descriptionSize > 0 ? id : []));
  const found =
    described.length === 0
      ? []
      : await db
          .selectFrom('change_request')
          .select(someColumnsOf(ChangeRequest, ['id', 'description']))
          .where('id', '=', sqlAny(described))
          .execute();
  const descriptions = new Map(found.map(({ id, description }) => [id, description]));
  return rows.map((row) => ({ ...row, description: descriptions.get(row.id) ?? null }));
}

/** Whether a table has a row for a user and the change request. */
const hasRowFor = (
  table: 'change_request_contributor' | 'requested_reviewer',
  user: string,
) => sql<boolean>`exists (
  select from ${sql.table(table)}
  where ${sql.ref(`${table}.change_request_id`)} = change_request.id and ${sql.ref(`${table}.user_id`)} = ${user})`;
