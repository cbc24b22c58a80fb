import { z } from 'zod';
import { router } from '../base/trpc.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { contentOptions } from '../content/content.handlers.ts';
import { revisionContentProcedure } from '../content/content.procedures.ts';
import { viewOf } from '../content/readable-content.query.ts';
import { route as spaceContentRoute } from '../content/route.ts';
import { readChanges } from '../engine/store/changes.ts';
import { baseRevision, presentMergedFrom } from './change-requests.api.ts';
import { changeRequestContentProcedure } from './change-requests.procedures.ts';
import { ChangesObject, presentChanges } from './changes.api.ts';
import { readOrigin } from './changes.query.ts';
import { contentRoute } from './route.ts';

const limit = z
  .number()
  .int()
  .min(1)
  .max(1000)
  .default(10)
  .describe('The maximum number of changes to list.');

export const changesRouter = router({
  ofRevision: revisionContentProcedure
    .meta(
      spaceContentRoute.get(
        '/spaces/{spaceId}/revisions/{revisionId}/changes',
        'List the changes of a revision',
        'getRevisionSemanticChanges',
        {
          description:
            'Compares the revision with its parent; for a merge, with the main content before the merge.',
        },
      ),
    )
    .input(z.object({ limit, ...contentOptions }))
    .output(ChangesObject)
    .query(async ({ ctx, input }) => {
      const { db, revision, space, viewer } = ctx;
      const { root, mergedFrom } = await readOrigin(db, space, revision);
      const found = await readChanges(objectReader(db), { before: root, after: revision.root }, input.limit);
      return {
        ...presentChanges(found, viewOf(ctx, input)),
        mergedFrom: presentMergedFrom(mergedFrom, space, viewer),
      };
    }),

  ofChangeRequest: changeRequestContentProcedure
    .meta(
      contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/changes',
        'List the changes of a change request',
        'getChangeRequestChanges',
        { description: 'Compares it with the main content that it was created from or last updated from.' },
      ),
    )
    .input(z.object({ limit }))
    .output(ChangesObject)
    .query(async ({ ctx, input: { limit } }) => {
      const { db, revision, changeRequest } = ctx;
      const [before] = await readRoots(db, [baseRevision(changeRequest)] as const);
      const found = await readChanges(objectReader(db), { before, after: revision.root }, limit);
      return presentChanges(found, viewOf(ctx, { metadata: true }));
    }),
});
