import { z } from 'zod';
import { Revision } from '../../schema/entities/revision.ts';
import { isId } from '../../schema/json/id.ts';
import { spaceProcedure } from '../access/procedures.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { router } from '../trpc.ts';
import { changeRequestProcedure } from './change-requests.procedures.ts';
import { route } from './chapter.ts';
import { ConflictObject } from './conflicts.api.ts';
import { listConflicts } from './conflicts.query.ts';
import { lockChangeRequest, requireActive } from './locked.operation.ts';
import { isOutdated, mergeChangeRequest, revertMerge, updateFromSpace } from './merge.operation.ts';
import { checkMergeRules } from './merge-check.query.ts';
import type { UnmetRule } from './merge-rules.ts';

const Conflicts = z.array(ConflictObject);

export const mergeRouter = router({
  merge: changeRequestProcedure('merge')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/merge',
        'Merge a change request',
        'mergeChangeRequest',
        {
          description:
            'If it conflicts with the space, nothing changes: the result is `conflicts`, and `revision` is still the active one.',
        },
      ),
    )
    .output(
      z.object({
        revision: z.string(),
        result: z.enum(['merge', 'conflicts']),
        conflicts: Conflicts.optional(),
      }),
    )
    .mutation(async ({ ctx }) => {
      const { em, db, engine, actor, level, createdBy, viewer } = ctx;
      const locked = await lockChangeRequest(em, ctx.changeRequest);
      requireActive(locked.changeRequest);
      const merging = { ...locked, createdBy, actor: actor.user, level, viewer };
      const { unmet, bypass } = await checkMergeRules(db, merging);
      if (unmet.length > 0 && !bypass) throw unmetRulesError(unmet);
      const revision = await mergeChangeRequest(ctx, locked, actor.user.id);
      if (revision !== undefined) return { revision, result: 'merge' };
      const conflicts = await listConflicts(db, engine, locked);
      return { revision: locked.space.revision, result: 'conflicts', conflicts };
    }),

  preview: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/merge-preview',
        'Preview the merge of a change request',
        'previewChangeRequestMerge',
        { description: 'Changes nothing.' },
      ),
    )
    .output(
      z.object({
        result: z.enum(['merge', 'conflicts']),
        outdated: z.boolean(),
        conflicts: Conflicts,
        unmetRules: z.array(z.object({ rule: z.string(), message: z.string() })),
        bypass: z.boolean().describe('Whether the caller may merge despite unmet rules.'),
      }),
    )
    .query(async ({ ctx }) => {
      const { db, engine, space, changeRequest, createdBy, actor, level, viewer } = ctx;
      requireActive(changeRequest);
      const merging = { space, changeRequest, createdBy, actor: actor.user, level, viewer };
      const { unmet, bypass } = await checkMergeRules(db, merging);
      const conflicts = await listConflicts(db, engine, { space, changeRequest });
      return {
        result: conflicts.length > 0 ? 'conflicts' : 'merge',
        outdated: isOutdated({ space, changeRequest }),
        conflicts,
        unmetRules: unmet,
        bypass,
      };
    }),

  pull: changeRequestProcedure('edit')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/update',
        'Update a change request from its space',
        'updateChangeRequest',
        {
          description:
            'Applies what merges cleanly. Where both sides changed the same thing, the change request keeps its own version until the conflict is resolved.',
        },
      ),
    )
    .output(
      z.object({
        revision: z.string(),
        result: z.enum(['update', 'conflicts']),
        conflicts: Conflicts.optional(),
      }),
    )
    .mutation(async ({ ctx }) => {
      const { em, db, engine, actor } = ctx;
      const locked = await lockChangeRequest(em, ctx.changeRequest);
      requireActive(locked.changeRequest);
      await updateFromSpace(ctx, locked, actor.user.id);
      const conflicts = await listConflicts(db, engine, locked);
      const { revision } = locked.changeRequest;
      return conflicts.length > 0
        ? { revision, result: 'conflicts', conflicts }
        : { revision, result: 'update' };
    }),

  revert: spaceProcedure('merge')
    .meta(
      route.post(
        '/spaces/{spaceId}/revisions/{revisionId}/revert',
        'Revert the merge that created a revision',
        'revertMergeRevision',
        {
          description: 'Creates a new revision and keeps later changes. 409 if those touch the same content.',
        },
      ),
    )
    .input(z.object({ revisionId: z.string() }))
    .output(z.object({ revision: z.string(), result: z.literal('rollback') }))
    .mutation(async ({ ctx, input: { revisionId } }) => {
      const { em, actor } = ctx;
      const space = await lockSpace(em, ctx.space.id);
      const merge = isId(revisionId) ? await em.findOne(Revision, { id: revisionId, space: space.id }) : null;
      if (!merge) throw notFound('revision');
      if (merge.type !== 'merge') throw new DomainError('conflict', 'The revision is not a merge.');
      const revision = await revertMerge(ctx, space, merge, actor.user.id);
      return { revision: revision.id, result: 'rollback' };
    }),
});

const unmetRulesError = (unmet: readonly UnmetRule[]) =>
  new DomainError(
    'precondition',
    `The change request does not meet the merge rules: ${unmet.map(({ message }) => message).join(' ')}`,
    unmet.map(({ rule, message }) => ({ path: rule, message })),
  );
