import { route } from '../route.ts';
import { router } from '../trpc.ts';
import * as reads from './content.handlers.ts';
import { activeContentProcedure } from './content.procedures.ts';

export const contentRouter = router({
  get: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content',
        'Space content',
        "Get a space's content with its pages and files",
        {
          operationId: 'getCurrentRevision',
        },
      ),
    )
    .input(reads.readRevision.input)
    .output(reads.readRevision.output)
    .query(({ ctx, input }) => reads.readRevision.resolve(ctx, input)),

  pages: activeContentProcedure
    .meta(
      route('GET /spaces/{spaceId}/content/pages', 'Space content', "List the pages of a space's content", {
        operationId: 'listPages',
      }),
    )
    .input(reads.readPages.input)
    .output(reads.readPages.output)
    .query(({ ctx, input }) => reads.readPages.resolve(ctx, input)),

  page: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/page/{pageId}',
        'Space content',
        "Get a page of a space's content",
        {
          operationId: 'getPageById',
        },
      ),
    )
    .input(reads.readPage.input)
    .output(reads.readPage.output)
    .query(({ ctx, input }) => reads.readPage.resolve(ctx, input)),

  pageByPath: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/path/{pagePath}',
        'Space content',
        "Get a page of a space's content by its path",
        {
          operationId: 'getPageByPath',
          description: 'The path goes in one segment: its slashes are encoded as %2F.',
        },
      ),
    )
    .input(reads.readPageByPath.input)
    .output(reads.readPageByPath.output)
    .query(({ ctx, input }) => reads.readPageByPath.resolve(ctx, input)),

  files: activeContentProcedure
    .meta(
      route('GET /spaces/{spaceId}/content/files', 'Space content', "List the files of a space's content", {
        operationId: 'listFiles',
      }),
    )
    .input(reads.readFiles.input)
    .output(reads.readFiles.output)
    .query(({ ctx, input }) => reads.readFiles.resolve(ctx, input)),

  file: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/files/{fileId}',
        'Space content',
        "Get a file of a space's content",
        {
          operationId: 'getFileById',
        },
      ),
    )
    .input(reads.readFile.input)
    .output(reads.readFile.output)
    .query(({ ctx, input }) => reads.readFile.resolve(ctx, input)),

  reusableContent: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/reusable-contents/{reusableContentId}',
        'Space content',
        "Get a reusable content of a space's content",
        {
          operationId: 'getReusableContentById',
        },
      ),
    )
    .input(reads.readReusableContent.input)
    .output(reads.readReusableContent.output)
    .query(({ ctx, input }) => reads.readReusableContent.resolve(ctx, input)),
});
