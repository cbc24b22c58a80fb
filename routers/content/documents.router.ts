import { z } from 'zod';
import { notFound } from '../errors.ts';
import { route } from '../route.ts';
import { router } from '../trpc.ts';
import { activeContentProcedure } from './content.procedures.ts';
import { Document } from './document/document.api.ts';

export const documentsRouter = router({
  get: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/documents/{documentId}',
        'Space content',
        'Get the document of a page or reusable content',
        { operationId: 'getDocumentById', description: 'One that the space holds now.' },
      ),
    )
    .input(
      z.object({
        documentId: z.string(),
        schema: z
          .enum(['current', 'next'])
          .optional()
          .describe('There is one schema of documents: both are it.'),
      }),
    )
    .output(Document)
    .query(async ({ ctx: { snapshot }, input: { documentId } }) => {
      // The store is shared by all spaces: who knows a hash may read only what this space holds under it.
      const isIn = (records: readonly { document?: string }[]) =>
        records.some(({ document }) => document === documentId);
      if (!isIn(await snapshot.allPages()) && !isIn(await snapshot.reusableContents()))
        throw notFound('document');
      return snapshot.document(documentId);
    }),
});
