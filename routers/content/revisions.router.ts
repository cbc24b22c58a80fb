import { route } from '../route.ts';
import { router } from '../trpc.ts';
import * as reads from './content.handlers.ts';
import { revisionContentProcedure } from './content.procedures.ts';

export const revisionsRouter = router({
  get: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}',
        'Space content',
        'Get a revision with its pages and files',
        {
          operationId: 'getRevisionById',
        },
      ),
    )
    .input(reads.readRevision.input)
    .output(reads.readRevision.output)
    .query(({ ctx, input }) => reads.readRevision.resolve(ctx, input)),

  pages: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/pages',
        'Space content',
        'List the pages of a revision',
        {
          operationId: 'listPagesInRevisionById',
        },
      ),
    )
    .input(reads.readPages.input)
    .output(reads.readPages.output)
    .query(({ ctx, input }) => reads.readPages.resolve(ctx, input)),

  page: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/page/{pageId}',
        'Space content',
        'Get a page of a revision',
        {
          operationId: 'getPageInRevisionById',
        },
      ),
    )
    .input(reads.readPage.input)
    .output(reads.readPage.output)
    .query(({ ctx, input }) => reads.readPage.resolve(ctx, input)),

  pageByPath: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}',
        'Space content',
        'Get a page of a revision by its path',
        {
          operationId: 'getPageInRevisionByPath',
          description: 'The path goes in one segment: its slashes are encoded as %2F.',
        },
      ),
    )
    .input(reads.readPageByPath.input)
    .output(reads.readPageByPath.output)
    .query(({ ctx, input }) => reads.readPageByPath.resolve(ctx, input)),

  files: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/files',
        'Space content',
        'List the files of a revision',
        {
          operationId: 'listFilesInRevisionById',
        },
      ),
    )
    .input(reads.readFiles.input)
    .output(reads.readFiles.output)
    .query(({ ctx, input }) => reads.readFiles.resolve(ctx, input)),

  file: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/files/{fileId}',
        'Space content',
        'Get a file of a revision',
        {
          operationId: 'getFileInRevisionById',
        },
      ),
    )
    .input(reads.readFile.input)
    .output(reads.readFile.output)
    .query(({ ctx, input }) => reads.readFile.resolve(ctx, input)),

  reusableContent: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}',
        'Space content',
        'Get a reusable content of a revision',
        {
          operationId: 'getReusableContentInRevisionById',
        },
      ),
    )
    .input(reads.readReusableContent.input)
    .output(reads.readReusableContent.output)
    .query(({ ctx, input }) => reads.readReusableContent.resolve(ctx, input)),

  pageDocument: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document',
        'Space content',
        'Get the document of a page of a revision',
        { operationId: 'getPageDocumentInRevisionById' },
      ),
    )
    .input(reads.readPageDocument.input)
    .output(reads.readPageDocument.output)
    .query(({ ctx, input }) => reads.readPageDocument.resolve(ctx, input)),

  reusableContentDocument: revisionContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document',
        'Space content',
        'Get the document of a reusable content of a revision',
        { operationId: 'getReusableContentDocumentInRevisionById' },
      ),
    )
    .input(reads.readReusableContentDocument.input)
    .output(reads.readReusableContentDocument.output)
    .query(({ ctx, input }) => reads.readReusableContentDocument.resolve(ctx, input)),
});
