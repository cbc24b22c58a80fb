import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { contentHandlers } from '../content/content.handlers.ts';
import { EXPORT_ROUTE, exportHandlers } from '../content/export.handlers.ts';
import { changeRequestContentProcedure } from './change-requests.procedures.ts';
import { wholeRevisionHandlers } from './revisions.handlers.ts';
import { contentRoute } from './route.ts';

const exportOfChangeRequest = exportHandlers(({ changeRequestId = '' }) => [
  'change-requests',
  changeRequestId,
  'content',
  'export',
]);

export const changeRequestContentRouter = router(
  mount(
    changeRequestContentProcedure,
    { ...wholeRevisionHandlers, ...contentHandlers, ...exportOfChangeRequest },
    {
      export: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/export',
        'Export the content of a change request as Markdown',
        'exportContentOfChangeRequestById',
        EXPORT_ROUTE,
      ),
      get: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content',
        'Get the content of a change request with its pages and files',
        'getRevisionOfChangeRequestById',
        { description: 'Returns the latest revision of the change request.' },
      ),
      pages: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages',
        'List the pages of a change request',
        'listPagesInChangeRequest',
        { description: 'Returns all pages of the change request as a tree, without their content.' },
      ),
      page: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}',
        'Get a page of a change request',
        'getPageInChangeRequestById',
        { description: 'Returns the page as it is in the change request, with its content.' },
      ),
      pageByPath: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}',
        'Get a page of a change request by its path',
        'getPageInChangeRequestByPath',
        { description: 'Send the path as one segment: encode its slashes as %2F.' },
      ),
      files: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/files',
        'List the files of a change request',
        'listFilesInChangeRequestById',
        { description: 'Lists the files as they are in the change request.' },
      ),
      file: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}',
        'Get a file of a change request',
        'getFileInChangeRequestById',
        {
          description:
            'Returns the metadata of the file as it is in the change request, and the URL of its bytes.',
        },
      ),
      reusableContent: contentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId}',
        'Get a reusable content of a change request',
        'getReusableContentInChangeRequestById',
        { description: 'Returns the reusable content as it is in the change request.' },
      ),
    },
  ),
);
