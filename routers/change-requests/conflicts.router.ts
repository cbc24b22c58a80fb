import { z } from 'zod';
import { listOf, paging, readSortedPage } from '../pagination.ts';
import { router } from '../trpc.ts';
import { changeRequestProcedure } from './change-requests.procedures.ts';
import { route } from './chapter.ts';
import { ConflictObject } from './conflicts.api.ts';
import { resolveConflicts } from './conflicts.operation.ts';
import { keyOfConflict, listConflicts } from './conflicts.query.ts';
import { lockChangeRequest, requireActive } from './locked.operation.ts';
import { updateFromSpace } from './merge.operation.ts';

export const conflictsRouter = router({
  list: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts',
        'List the conflicts of a change request with its space',
        'listChangeRequestConflicts',
        { description: 'Those left by earlier updates, and those that an update now would add.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(ConflictObject))
    .query(async ({ ctx, input }) => {
      const { db, engine, space, changeRequest } = ctx;
      const isOver = changeRequest.status === 'merged';
      const conflicts = isOver ? [] : await listConflicts(db, engine, { space, changeRequest });
      return readSortedPage(ctx, input, conflicts, keyOfConflict);
    }),

  resolve: changeRequestProcedure('edit')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts/resolve',
        'Resolve conflicts of a change request by taking a side',
        'resolveChangeRequestConflicts',
        { description: 'Updates the change request from its space first if it is outdated.' },
      ),
    )
    .input(
      z.object({
        take: z.enum(['ours', 'theirs']).describe('`ours` is the change request, `theirs` the space.'),
        conflicts: z
          .array(z.string())
          .min(1)
          .max(1000)
          .optional()
          .describe('Ids of conflicts; all by default.'),
      }),
    )
    .output(
      z.object({
        revision: z.string(),
        result: z.enum(['update', 'conflicts']),
        conflicts: z.array(ConflictObject).describe('The remaining conflicts.'),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const { em, db, engine, actor } = ctx;
      const locked = await lockChangeRequest(em, ctx.changeRequest);
      requireActive(locked.changeRequest);
      await updateFromSpace(ctx, locked, actor.user.id);
      await resolveConflicts(ctx, locked, input, actor.user.id);
      const conflicts = await listConflicts(db, engine, locked);
      const result = conflicts.length > 0 ? 'conflicts' : 'update';
      return { revision: locked.changeRequest.revision, result, conflicts };
    }),
});
