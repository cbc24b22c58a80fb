import { z } from 'zod';
import { router } from '../base/trpc.ts';
import { Document } from '../engine/document/document.ts';
import { notFound } from '../engine/errors.ts';
import { computedPages } from '../engine/templates/computed.ts';
import { readContentProcedure } from './content.procedures.ts';
import { findHolding } from './document-holders.query.ts';
import { route } from './route.ts';
import { shownDocument } from './shown-document.ts';
import { sourcesIn } from './sources.query.ts';

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
        documentId: z
          .string()
          .describe('The id of the document, as given by pages, comments and reusable contents.'),
        schema: z
          .enum(['current', 'next'])
          .optional()
          .describe('Has no effect: there is only one document schema.'),
      }),
    )
    .output(Document)
    .query(async ({ ctx, input: { documentId } }) => {
      // The store is shared by all spaces: a hash gives access only to documents that this space refers to.
      const { snapshot, conditions } = ctx;
      const pages = computedPages(snapshot, sourcesIn(ctx));
      const holding = await findHolding(snapshot, pages, documentId, conditions);
      if (!holding) throw notFound('document');
      return ctx.engine.run(
        'document',
        shownDocument(ctx, documentId, holding.page, { evaluated: false }),
        pages.reader,
      );
    }),
});
