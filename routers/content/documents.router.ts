import { z } from 'zod';
import { Document } from '../engine/document/document.ts';
import { notFound } from '../engine/errors.ts';
import type { PageNode } from '../engine/store/snapshot.ts';
import { router } from '../trpc.ts';
import { route } from './chapter.ts';
import { pagesOf } from './content.handlers.ts';
import { activeContentProcedure } from './content.procedures.ts';

export const documentsRouter = router({
  get: activeContentProcedure
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
      const pages = pagesOf(ctx, { computed: true });
      const isHeld =
        isIn(await pages.pageTree(), documentId) ||
        (await ctx.snapshot.reusableContents()).some(({ document }) => document === documentId);
      if (!isHeld) throw notFound('document');
      return ctx.engine.run('document', { document: documentId }, pages.reader);
    }),
});

const isIn = (nodes: readonly PageNode[], documentId: string): boolean =>
  nodes.some(({ page, pages }) => page.document === documentId || isIn(pages, documentId));
