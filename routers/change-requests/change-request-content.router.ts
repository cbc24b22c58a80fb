import * as reads from '../content/content.handlers.ts';
import { route } from '../route.ts';
import { router } from '../trpc.ts';
import { changeRequestContentProcedure } from './change-requests.procedures.ts';

export const changeRequestContentRouter = router({
  get: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content',
        'Change request content',
        'Get the content of a change request with its pages and files',
        { operationId: 'getRevisionOfChangeRequestById' },
      ),
    )
    .input(reads.readRevision.input)
    .output(reads.readRevision.output)
    .query(({ ctx, input }) => reads.readRevision.resolve(ctx, input)),

  pages: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/pages',
        'Change request content',
        'List the pages of a change request',
        { operationId: 'listPagesInChangeRequest' },
      ),
    )
    .input(reads.readPages.input)
    .output(reads.readPages.output)
    .query(({ ctx, input }) => reads.readPages.resolve(ctx, input)),

  page: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}',
        'Change request content',
        'Get a page of a change request',
        { operationId: 'getPageInChangeRequestById' },
      ),
    )
    .input(reads.readPage.input)
    .output(reads.readPage.output)
    .query(({ ctx, input }) => reads.readPage.resolve(ctx, input)),

  pageByPath: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}',
        'Change request content',
        'Get a page of a change request by its path',
        {
          operationId: 'getPageInChangeRequestByPath',
          description: 'The path goes in one segment: its slashes are encoded as %2F.',
        },
      ),
    )
    .input(reads.readPageByPath.input)
    .output(reads.readPageByPath.output)
    .query(({ ctx, input }) => reads.readPageByPath.resolve(ctx, input)),

  files: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/files',
        'Change request content',
        'List the files of a change request',
        { operationId: 'listFilesInChangeRequestById' },
      ),
    )
    .input(reads.readFiles.input)
    .output(reads.readFiles.output)
    .query(({ ctx, input }) => reads.readFiles.resolve(ctx, input)),

  file: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}',
        'Change request content',
        'Get a file of a change request',
        { operationId: 'getFileInChangeRequestById' },
      ),
    )
    .input(reads.readFile.input)
    .output(reads.readFile.output)
    .query(({ ctx, input }) => reads.readFile.resolve(ctx, input)),

  reusableContent: changeRequestContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId}',
        'Change request content',
        'Get a reusable content of a change request',
        { operationId: 'getReusableContentInChangeRequestById' },
      ),
    )
    .input(reads.readReusableContent.input)
    .output(reads.readReusableContent.output)
    .query(({ ctx, input }) => reads.readReusableContent.resolve(ctx, input)),
});
