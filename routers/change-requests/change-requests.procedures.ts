import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Revision } from '../../schema/entities/revision.ts';
import type { User } from '../../schema/entities/user.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsUnder, partOf, type Row } from '../../schema/rows.ts';
import { selectSpaceFor, spaceAccess } from '../access/load.query.ts';
import { declaredNeed, needOn, type Permission } from '../access/needs.ts';
import { requireOnSpace } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { Db } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { shownUser } from '../people/users.query.ts';
import { authenticatedProcedure, inTransaction, partialProcedure } from '../trpc.ts';

/** The number of a change request as given in a path. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** A space and the change request in it that a condition selects. */
const selectChangeRequestFor = (db: Db, userId: Operand, spaceId: Operand, named: RawBuilder<boolean>) =>
  selectSpaceFor(db, userId, spaceId)
    .leftJoin('change_request', (join) => join.onRef('change_request.space_id', '=', 'space.id').on(named))
    .leftJoin('revision', 'revision.id', 'change_request.revision_id')
    .leftJoin('user', 'user.id', 'change_request.created_by_id')
    .select(columnsUnder('changeRequest', ChangeRequest))
    .select(columnsUnder('revision', Revision))
    .select(shownUser('createdBy', 'user', sql.ref('space.organization_id')))
    .where('space.deleted_at', 'is', null);

const readById = batchedStatement((db, userId: Operand, spaceId: Operand, id: Operand) =>
  selectChangeRequestFor(db, userId, spaceId, sql`change_request.id = ${id}`),
);

const readByNumber = batchedStatement((db, userId: Operand, spaceId: Operand, number: Operand) =>
  selectChangeRequestFor(db, userId, spaceId, sql`change_request.number = ${number}::integer`),
);

/**
 * A change request, its revision and its creator, with the caller's level on the space, in one statement. It is named
 * by its id or by its number in the space.
 * @throws DomainError `not-found` where the caller may not view the space or there is no such change request.
 */
async function loadChangeRequest(db: Db, userId: string, spaceId: string, name: string) {
  if (!isId(spaceId)) throw notFound('space');
  const read = NUMBER.test(name) ? readByNumber : readById;
  const row = await read(db, userId, spaceId, name);
  const access = row && spaceAccess(row);
  if (!row || !access) throw notFound('space');
  const changeRequest = partOf<Row<ChangeRequest>, 'changeRequest'>(row, 'changeRequest');
  const revision = partOf<Row<Revision>, 'revision'>(row, 'revision');
  if (!changeRequest || !revision) throw notFound('change request');
  const createdBy = partOf<Row<User>, 'createdBy'>(row, 'createdBy');
  return { ...access, changeRequest, revision, createdBy };
}

/** `changeRequestProcedure` without authentication, to follow other steps. */
export const changeRequestAccess = (permission: Permission<'space'>) =>
  partialProcedure
    .meta({ need: needOn('space', permission) })
    .input(z.object({ spaceId: z.string(), changeRequestId: z.string() }))
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const access = await loadChangeRequest(db, ctx.actor.user.id, input.spaceId, input.changeRequestId);
        requireOnSpace({ level: access.level, scope: ctx.actor.token.scope }, declaredNeed(meta, 'space'));
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/**
 * A procedure about one change request: `ctx.changeRequest`, `ctx.revision` (its own), `ctx.createdBy`, and `ctx.space`
 * with the caller's level. 404 for those who may not view the space, 403 without the permission on it.
 */
export const changeRequestProcedure = (permission: Permission<'space'>) =>
  authenticatedProcedure.concat(changeRequestAccess(permission));

/** A read of a change request's content: the same with `ctx.snapshot`. */
export const changeRequestContentProcedure = changeRequestProcedure('view').use(async ({ ctx, next }) =>
  next({ ctx: { snapshot: await openSnapshot(objectReader(ctx.db), ctx.revision.root) } }),
);
