import { z } from 'zod';
import { router } from '../base/trpc.ts';
import { Document } from '../engine/document/document.ts';
import { notFound } from '../engine/errors.ts';
import { computedPages } from '../engine/templates/computed-pages.ts';
import { readContentProcedure } from './content.procedures.ts';
import { findDocumentOwner } from './document-owners.query.ts';
import { documentViewFor } from './document-view.ts';
import { route } from './route.ts';
import { apiSourcesOf } from './sources.query.ts';

export const documentsRouter = router({
  get: readContentProcedure
    .meta(
      route.get(
        '/spaces/{spaceId}/documents/{documentId}',
        'Get the document of a page or reusable content',
        'getDocumentById',
        {
          description:
            'Returns a document of the current content of the space, as a tree of blocks. To read a document of a change request or an earlier revision, get its page there.',
        },
      ),
    )
    .input(
      z.object({
        documentId: z
          .string()
          .describe('The id of the document, as a page or reusable content of the current content has it.'),
        schema: z
          .enum(['current', 'next'])
          .optional()
          .describe('Has no effect: there is only one document schema.'),
      }),
    )
    .output(Document)
    .query(async ({ ctx, input: { documentId } }) => {
      // All spaces share the store: a hash gives access only to documents that this space refers to.
      const { snapshot, conditions } = ctx;
      const pages = computedPages(snapshot, apiSourcesOf(ctx));
      // guard: visited-documents
      const owner = await findDocumentOwner(snapshot, pages, documentId, conditions);
      // guard: space-of-document
      if (!owner) throw notFound('document');
      return ctx.engine.run(
        'document',
        documentViewFor(ctx, documentId, owner.page, { evaluated: false }),
        pages.reader,
      );
    }),
});
