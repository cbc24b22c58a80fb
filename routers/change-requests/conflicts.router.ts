import { z } from 'zod';
import { router } from '../base/trpc.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { listOf, paging, readSortedPage } from '../sql/pagination.ts';
import { changeRequestProcedure, optimisticChangeRequestProcedure } from './change-requests.procedures.ts';
import { ConflictObject } from './conflicts.api.ts';
import {
  findAllConflicts,
  keyOfConflict,
  presentConflicts,
  presentFoundConflicts,
} from './conflicts.query.ts';
import { loadActive } from './lock.operation.ts';
import { resolveConflicts } from './resolve.operation.ts';
import { route } from './route.ts';

export const conflictsRouter = router({
  list: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts',
        'List the conflicts of a change request with its space',
        'listChangeRequestConflicts',
        { description: 'Lists conflicts left by earlier updates, and those that an update now would add.' },
      ),
    )
    .input(
      z.object({
        ...paging,
        format: z
          .enum(['document', 'markdown'])
          .default('document')
          .describe('`markdown` also returns conflicts about text as Markdown.'),
      }),
    )
    .output(listOf(ConflictObject))
    .query(async ({ ctx, input }) => {
      const { db, engine, space, changeRequest } = ctx;
      const isOver = changeRequest.status === 'merged';
      const found = isOver ? [] : await findAllConflicts(db, engine, { space, changeRequest });
      const { items, ...page } = await readSortedPage(ctx, input, found, keyOfConflict);
      const conflicts = items.map(({ conflict }) => conflict);
      const texts =
        input.format === 'markdown' && conflicts.length > 0
          ? await engine.run('conflictsMarkdown', { conflicts }, objectReader(db))
          : [];
      return { ...page, items: await presentFoundConflicts(db, changeRequest.revision, items, texts) };
    }),

  resolve: optimisticChangeRequestProcedure('edit')
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
          .describe('The ids of the conflicts to resolve; all by default.'),
      }),
    )
    .output(
      z.object({
        revision: z.string().describe('The id of the revision that resolving them made.'),
        result: z
          .enum(['update', 'conflicts'])
          .describe('`update` if all conflicts are resolved; `conflicts` if some remain.'),
        conflicts: z.array(ConflictObject).describe('The conflicts that remain.'),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const { db, actor, load } = ctx;
      const author = actor.user.id;
      const { changeRequest, conflicts: unresolved } = await resolveConflicts(
        ctx,
        ctx.changeRequest,
        loadActive(load),
        input,
        author,
      );
      const { revision } = changeRequest;
      const conflicts = await presentConflicts(db, revision, unresolved);
      return { revision, result: conflicts.length > 0 ? 'conflicts' : 'update', conflicts };
    }),
});
