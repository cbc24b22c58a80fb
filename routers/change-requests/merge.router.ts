import { z } from 'zod';
import { isId } from '../../schema/json/id.ts';
import { optimisticSpaceAccess } from '../access/procedures.ts';
import type { Db } from '../base/db.ts';
import { measure } from '../base/measure.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { changeRequestProcedure, optimisticChangeRequestProcedure } from './change-requests.procedures.ts';
import { ConflictObject } from './conflicts.api.ts';
import { listConflicts, presentConflicts } from './conflicts.query.ts';
import { loadActive, requireActive } from './lock.operation.ts';
import { isOutdated, mergeChangeRequest, revertMerge, updateFromSpace } from './merge.operation.ts';
import { checkMergeRules } from './merge-check.query.ts';
import type { UnmetRule } from './merge-rules.ts';
import { route } from './route.ts';

const Conflicts = z.array(ConflictObject);

export const mergeRouter = router({
  merge: optimisticChangeRequestProcedure('merge')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/merge',
        'Merge a change request',
        'mergeChangeRequest',
        {
          description:
            'If it conflicts with the space, nothing changes: `result` is `conflicts`, and `revision` is still the active one.',
        },
      ),
    )
    .output(
      z.object({
        revision: z.string().describe('The id of the active revision of the space afterwards.'),
        result: z
          .enum(['merge', 'conflicts'])
          .describe('`merge` if it was merged; `conflicts` if nothing was changed because of conflicts.'),
        conflicts: Conflicts.optional().describe('The conflicts to resolve before it can be merged.'),
      }),
    )
    .mutation(async ({ ctx }) => {
      const { db, engine, actor, load, viewer } = ctx;
      const loadMergeable = async (db: Db) => {
        const loaded = await loadActive(load)(db);
        const { unmet, bypass } = await checkMergeRules(db, { ...loaded, actor: actor.user, viewer });
        if (unmet.length > 0 && !bypass) throw unmetRulesError(unmet);
        return loaded;
      };
      const merged = await measure(
        ctx.services.measurements,
        () => mergeChangeRequest(ctx, ctx.changeRequest, loadMergeable, actor.user.id),
        (result) => ({
          work: 'merge',
          outcome: !result ? 'failed' : 'revision' in result ? 'merged' : 'conflicts',
        }),
      );
      if ('revision' in merged) return { ...merged, result: 'merge' };
      const conflicts = await listConflicts(db, engine, merged.conflicting);
      return { revision: merged.conflicting.space.revision, result: 'conflicts', conflicts };
    }),

  previewMerge: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/merge-preview',
        'Preview the merge of a change request',
        'previewChangeRequestMerge',
        {
          description:
            'Returns the conflicts and the unmet merge rules that a merge would run into, and changes nothing.',
        },
      ),
    )
    .output(
      z.object({
        result: z.enum(['merge', 'conflicts']).describe('The result that merging would have.'),
        outdated: z
          .boolean()
          .describe('Whether the space has changed since the change request was last updated from it.'),
        conflicts: Conflicts.describe('The conflicts to resolve before it can be merged.'),
        unmetRules: z
          .array(
            z.object({
              rule: z.string().describe('The name of the rule.'),
              message: z.string().describe('What the rule requires, in a sentence.'),
            }),
          )
          .describe('The merge rules that are not met yet.'),
        bypass: z.boolean().describe('Whether the caller may merge despite unmet rules.'),
      }),
    )
    .query(async ({ ctx }) => {
      const { db, engine, space, changeRequest, createdBy, actor, level, viewer } = ctx;
      requireActive(changeRequest);
      const candidate = { space, changeRequest, createdBy, actor: actor.user, level, viewer };
      const { unmet, bypass } = await checkMergeRules(db, candidate);
      const conflicts = await listConflicts(db, engine, { space, changeRequest });
      return {
        result: conflicts.length > 0 ? 'conflicts' : 'merge',
        outdated: isOutdated({ space, changeRequest }),
        conflicts,
        unmetRules: unmet,
        bypass,
      };
    }),

  pull: optimisticChangeRequestProcedure('edit')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/update',
        'Update a change request from its space',
        'updateChangeRequest',
        {
          description:
            'Merges the changes of the space into the change request. Where both changed the same thing, the change request keeps its own version until the conflict is resolved.',
        },
      ),
    )
    .output(
      z.object({
        revision: z.string().describe('The id of the revision of the change request afterwards.'),
        result: z
          .enum(['update', 'conflicts'])
          .describe('`update` if it merged cleanly; `conflicts` if it kept its own side of some changes.'),
        conflicts: Conflicts.optional().describe('The conflicts that remain to be resolved.'),
      }),
    )
    .mutation(async ({ ctx }) => {
      const { db, actor, load } = ctx;
      const { changeRequest, conflicts: unresolved } = await updateFromSpace(
        ctx,
        ctx.changeRequest,
        loadActive(load),
        actor.user.id,
      );
      const { revision } = changeRequest;
      if (unresolved.length === 0) return { revision, result: 'update' };
      return { revision, result: 'conflicts', conflicts: await presentConflicts(db, revision, unresolved) };
    }),

  revert: authenticatedProcedure
    .concat(optimisticSpaceAccess('merge'))
    .meta(
      route.post(
        '/spaces/{spaceId}/revisions/{revisionId}/revert',
        'Revert the merge that created a revision',
        'revertMergeRevision',
        {
          description: 'Creates a new revision and keeps later changes; 409 if those touch the same content.',
        },
      ),
    )
    .input(z.object({ revisionId: z.string().describe('The id of the revision that the merge created.') }))
    .output(
      z.object({
        revision: z.string().describe('The id of the new revision.'),
        result: z.literal('rollback').describe('Always `rollback`.'),
      }),
    )
    .mutation(async ({ ctx, input: { revisionId } }) => {
      const { actor, load } = ctx;
      const loadMerge = async (db: Db) => {
        const { space } = await load(db);
        return { space, merge: await readMerge(db, space.id, revisionId) };
      };
      const revision = await revertMerge(ctx, ctx.space.id, loadMerge, actor.user.id);
      return { revision, result: 'rollback' };
    }),
});

async function readMerge(db: Db, space: string, id: string) {
  const revision = isId(id)
    ? await db
        .selectFrom('revision')
        .select(['type', 'root', 'parents'])
        .where('id', '=', id)
        // guard: space-of-reverted-revision
        .where('space_id', '=', space)
        .executeTakeFirst()
    : undefined;
  if (!revision) throw notFound('revision');
  if (revision.type !== 'merge') throw new DomainError('conflict', 'The revision is not a merge.');
  return revision;
}

const unmetRulesError = (unmet: readonly UnmetRule[]) =>
  new DomainError(
    'precondition',
    `The change request does not meet the merge rules: ${unmet.map(({ message }) => message).join(' ')}`,
    unmet.map(({ rule, message }) => ({ path: rule, message })),
  );
