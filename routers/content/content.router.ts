import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { contentHandlers } from './content.handlers.ts';
import { activeContentProcedure, readContentProcedure } from './content.procedures.ts';
import { EXPORT_ROUTE, exportHandlers } from './export.handlers.ts';
import { route } from './route.ts';

export const contentRouter = router({
  ...mount(
    activeContentProcedure,
    exportHandlers(() => ['content', 'export']),
    {
      export: route.get(
        '/spaces/{spaceId}/content/export',
        "Export a space's content as Markdown",
        'exportContent',
        EXPORT_ROUTE,
      ),
    },
  ),
  ...mount(readContentProcedure, contentHandlers, {
    pages: route.get('/spaces/{spaceId}/content/pages', "List the pages of a space's content", 'listPages', {
      description: 'Returns all pages as a tree, without their content.',
    }),
    page: route.get(
      '/spaces/{spaceId}/content/page/{pageId}',
      "Get a page of a space's content",
      'getPageById',
      { description: 'Returns the page with its content, as Markdown by default.' },
    ),
    pageByPath: route.get(
      '/spaces/{spaceId}/content/path/{pagePath}',
      "Get a page of a space's content by its path",
      'getPageByPath',
      { description: 'Send the path as one segment: encode its slashes as %2F.' },
    ),
    files: route.get('/spaces/{spaceId}/content/files', "List the files of a space's content", 'listFiles', {
      description: 'For visitors of a site, lists only files that pages visible to them use.',
    }),
    file: route.get(
      '/spaces/{spaceId}/content/files/{fileId}',
      "Get a file of a space's content",
      'getFileById',
      { description: 'Returns the metadata of the file, and the URL of its bytes.' },
    ),
    reusableContent: route.get(
      '/spaces/{spaceId}/content/reusable-contents/{reusableContentId}',
      "Get a reusable content of a space's content",
      'getReusableContentById',
      {
        description:
          'Returns the title of the reusable content, the id of its document, and its origin in Git.',
      },
    ),
  }),
});
