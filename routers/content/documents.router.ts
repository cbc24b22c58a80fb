import { z } from 'zod';
import { Document } from '../engine/document/document.ts';
import { notFound } from '../engine/errors.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { PageNode } from '../engine/store/snapshot.ts';
import { router } from '../trpc.ts';
import { route } from './chapter.ts';
import { allPagesOf, shownDocument } from './content.handlers.ts';
import { readContentProcedure } from './content.procedures.ts';
import { existingFor } from './shown-pages.ts';

export const documentsRouter = router({
  get: readContentProcedure
    .meta(
      route.get(
        '/spaces/{spaceId}/documents/{documentId}',
        'Get the document of a page or reusable content',
        'getDocumentById',
        { description: 'It must be part of the current content of the space.' },
      ),
    )
    .input(
      z.object({
        documentId: z.string(),
        schema: z
          .enum(['current', 'next'])
          .optional()
          .describe('Has no effect: there is only one document schema.'),
      }),
    )
    .output(Document)
    .query(async ({ ctx, input: { documentId } }) => {
      // The store is shared by all spaces: a hash gives access only to documents that this space refers to.
      const pages = allPagesOf(ctx, { computed: true });
      const tree = await pages.pageTree();
      const page = pageWith(documentId, ctx.conditions ? existingFor(ctx.conditions, tree) : tree);
      const isHeld =
        page || (await ctx.snapshot.reusableContents()).some(({ document }) => document === documentId);
      if (!isHeld) throw notFound('document');
      return ctx.engine.run(
        'document',
        shownDocument(ctx, documentId, page, { evaluated: false }),
        pages.reader,
      );
    }),
});

function pageWith(documentId: string, nodes: readonly PageNode[]): PageRecord | undefined {
  for (const { page, pages } of nodes) {
    const found = page.document === documentId ? page : pageWith(documentId, pages);
    if (found) return found;
  }
  return undefined;
}
