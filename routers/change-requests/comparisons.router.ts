import { z } from 'zod';
import { router } from '../base/trpc.ts';
import { readRevisions } from '../branches/roots.query.ts';
import { revisionContentProcedure } from '../content/content.procedures.ts';
import { route as spaceContentRoute } from '../content/route.ts';
import { baseRevision } from './change-requests.api.ts';
import { changeRequestProcedure } from './change-requests.procedures.ts';
import { ComparisonObject, comparisonInput } from './comparisons.api.ts';
import { compareRevisions, requireRevision } from './comparisons.query.ts';
import { contentRoute } from './route.ts';

export const comparisonsRouter = router({
  ofRevision: revisionContentProcedure
    .meta(
      spaceContentRoute.get(
        '/spaces/{spaceId}/revisions/{revisionId}/comparison',
        'Compare the text of a revision with another',
        'compareRevisions',
        {
          description: 'Returns a diff of each page and reusable content whose title or text differs.',
        },
      ),
    )
    .input(
      z.object({
        base: z
          .string()
          .optional()
          .describe(
            'The id of the revision of the space to compare with; by default, the parent of the revision.',
          ),
        ...comparisonInput,
      }),
    )
    .output(ComparisonObject)
    .query(async ({ ctx, input: { base = ctx.revision.parents[0], ...input } }) => {
      const { db, engine, space, revision } = ctx;
      const compared = base === undefined ? undefined : await requireRevision(db, space.id, base);
      return compareRevisions({ db, engine, base: compared, revision }, input);
    }),

  ofChangeRequest: changeRequestProcedure('view')
    .meta(
      contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/comparison',
        'Compare the text of a change request with its space',
        'compareChangeRequest',
        {
          description:
            'Returns a diff of each page and reusable content whose title or text it changes, against the main content that it was created from or last updated from.',
        },
      ),
    )
    .input(z.object(comparisonInput))
    .output(ComparisonObject)
    .query(async ({ ctx, input }) => {
      const { db, engine, revision, changeRequest } = ctx;
      const [base] = await readRevisions(db, [baseRevision(changeRequest)] as const);
      return compareRevisions({ db, engine, base, revision }, input);
    }),
});
