import { z } from 'zod';
import { operatorJobProcedure, router } from '../base/trpc.ts';
import { removeIndex } from '../search/documents.operation.ts';
import { type IndexProgress, indexSpaces } from '../search/index-spaces.operation.ts';
import { mergeSegments } from '../search/merge-segments.operation.ts';
import { lookUpOrganization } from './lookup.operation.ts';

export const installationSearchRouter = router({
  /** Rebuilds the search index of an organization, or of all. Meanwhile, searches find what is indexed so far. */
  rebuild: operatorJobProcedure
    .input(
      z.object({
        organization: z.string().optional().describe('The id or title of the organization; all by default.'),
        onProgress: z
          .custom<(progress: IndexProgress & { organization: string }) => void>(
            (value) => typeof value === 'function',
          )
          .optional(),
      }),
    )
    .output(z.object({ organizations: z.number().int(), documents: z.number().int() }))
    .mutation(async ({ ctx, input: { organization, onProgress } }) => {
      const organizations =
        organization === undefined
          ? await ctx.db.selectFrom('organization').select(['id', 'title']).orderBy('id').execute()
          : [await ctx.transaction((em) => lookUpOrganization(em, organization))];
      let documents = 0;
      for (const { id, title } of organizations) {
        await removeIndex(ctx, id);
        documents += await indexSpaces(ctx, id, (progress) =>
          onProgress?.({ ...progress, organization: title }),
        );
        await mergeSegments(ctx, id);
      }
      return { organizations: organizations.length, documents };
    }),
});
