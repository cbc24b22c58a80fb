import { z } from 'zod';
import {
  declaredPermission,
  type Permission,
  type RequiredPermission,
  requiredPermission,
} from '../access/needs.ts';
import { requireSpacePermission } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { changeRequestTag, spaceTag } from '../base/cache-tags.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { authenticatedProcedure, inTransaction, partialProcedure } from '../base/trpc.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { loadChangeRequest } from './change-requests.query.ts';

/**
 * Loads a change request for a caller.
 * @throws DomainError `not-found` if they may not view its space, `forbidden` without the permission on it
 */
async function requireChangeRequest(
  db: Db,
  actor: Actor,
  spaceId: string,
  name: string,
  need: RequiredPermission<'space'>,
) {
  const access = await loadChangeRequest(db, actor, spaceId, name);
  requireSpacePermission({ level: access.level }, need);
  return access;
}

const ChangeRequestPath = z.object({
  spaceId: z.string().describe('The id of the space.'),
  changeRequestId: z.string().describe('The id of the change request.'),
});

/** The part of {@link changeRequestProcedure} after authentication, to be added to other procedures. */
export const changeRequestAccess = (permission: Permission<'space'>) =>
  partialProcedure
    .meta({ need: requiredPermission('space', permission) })
    .input(ChangeRequestPath)
    .use((call) =>
      inTransaction(call, async ({ em, db }) => {
        const { ctx, input, meta, next } = call;
        const { spaceId, changeRequestId } = input;
        const need = declaredPermission(meta, 'space');
        const access = await requireChangeRequest(db, ctx.actor, spaceId, changeRequestId, need);
        ctx.dependencies?.add(spaceTag(spaceId)).add(changeRequestTag(spaceId, access.changeRequest.id));
        return next({ ctx: { em, db, ...access, viewer: viewerOf(ctx, access.member) } });
      }),
    );

/**
 * A procedure about one change request: sets `ctx.changeRequest`, `ctx.revision` (its own), `ctx.createdBy`, and
 * `ctx.space` with the caller's level. 404 if the caller may not view the space, 403 without the permission on it.
 */
export const changeRequestProcedure = (permission: Permission<'space'>) =>
  authenticatedProcedure.concat(changeRequestAccess(permission));

/** The same without a transaction: see `optimisticSpaceAccess`. `ctx.load` reads it all again. */
export const optimisticChangeRequestAccess = (permission: Permission<'space'>) =>
  partialProcedure
    .meta({ need: requiredPermission('space', permission) })
    .input(ChangeRequestPath)
    .use(async ({ ctx, input: { spaceId, changeRequestId }, meta, next }) => {
      const need = declaredPermission(meta, 'space');
      const load = (db: Db) => requireChangeRequest(db, ctx.actor, spaceId, changeRequestId, need);
      const access = await load(ctx.db);
      return next({ ctx: { ...access, load, viewer: viewerOf(ctx, access.member) } });
    });

export const optimisticChangeRequestProcedure = (permission: Permission<'space'>) =>
  authenticatedProcedure.concat(optimisticChangeRequestAccess(permission));

/** A procedure that reads the content of a change request, as `ctx.snapshot`. */
export const changeRequestContentProcedure = changeRequestProcedure('view').use(async ({ ctx, next }) =>
  next({ ctx: { snapshot: await openSnapshot(objectReader(ctx.db), ctx.revision.root) } }),
);
